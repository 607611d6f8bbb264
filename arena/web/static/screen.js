// The screen of the live pages: shows the film that the server features, goes on with it while the match does, and turns
// to the next one when the first is through. A match that is quicker than people is played at a speed they can follow;
// who falls behind a match that is really live is brought up to it.

import { extendFilm } from "./film.js";
import { follow } from "./live.js";
import { Viewer } from "./viewer.js";

const USUAL_SPEED = 2;
const LINGER_MS = 6000;
/** How fast to go that many steps behind a match that goes on. */
const CATCH_UP = [[12, 8], [5, 4]];

class Screen {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.place = element.querySelector(".screen");
    this.next = element.querySelector(".next");
    this.viewer = null;
    this.waiting = null;
    this.timer = null;
    this.speed = USUAL_SPEED;
    this.next.querySelector("button").addEventListener("click", () => this.turn());
    const stream = follow(element, element.dataset.screen);
    stream.addEventListener("film", (event) => this.take(JSON.parse(event.data)));
    stream.addEventListener("more", (event) => this.extend(JSON.parse(event.data)));
    this.place.addEventListener("viewer:step", () => this.look());
  }

  /** A film: another one, or after a break of the connection the same once more. */
  take({ film, at }) {
    const shown = this.viewer?.film;
    if (shown?.match === film.match && shown.entries.length <= film.entries.length) {
      this.waiting = null;
      this.add({ ...film, start: 0, frames: film.frames?.slice(1) });
    } else {
      this.waiting = { film, at };
      if (!shown || this.isThrough) this.turn();
    }
    this.look();
  }

  extend(more) {
    if (this.waiting?.film.match === more.match) extendFilm(this.waiting.film, more);
    else if (this.viewer?.film.match === more.match) this.add(more);
    this.look();
  }

  /** Several steps at once are played one after the other. */
  add(more) {
    const { viewer } = this;
    const news = more.start + more.entries.length - viewer.film.entries.length;
    if (news > 1 && !viewer.playing && viewer.step >= viewer.last) viewer.schedule();
    viewer.extend(more);
  }

  /** Whether the film has been seen to its end, and the end for a while. */
  get isThrough() {
    return this.isAtEnd && this.timer === null;
  }

  get isAtEnd() {
    const { viewer } = this;
    return Boolean(viewer?.film.result) && viewer.step >= viewer.last;
  }

  /** Shows the film that waits. */
  turn() {
    if (!this.waiting) return;
    const { film, at } = this.waiting;
    this.waiting = null;
    clearTimeout(this.timer);
    this.timer = null;
    this.viewer?.close();
    this.viewer = new Viewer(this.place, film, { step: at, url: false });
    this.setSpeed(USUAL_SPEED);
    if (this.viewer.step < this.viewer.last) this.viewer.schedule();
    this.look();
  }

  /** After each step, and whenever something has come. */
  look() {
    const { viewer } = this;
    if (!viewer) return;
    this.place.dataset.match = viewer.film.match;
    this.keepUp();
    const brokenOff = this.waiting && !viewer.film.result && !viewer.playing && viewer.step >= viewer.last;
    if (brokenOff) return this.turn();
    if (this.isAtEnd && this.timer === null && this.lingered !== viewer) {
      this.lingered = viewer;
      this.timer = setTimeout(() => {
        this.timer = null;
        this.turn();
      }, LINGER_MS);
    }
    this.next.hidden = !this.waiting || viewer.playing || this.isAtEnd;
    return undefined;
  }

  keepUp() {
    const { viewer } = this;
    if (viewer.speed !== this.speed) return; // somebody has chosen another one
    const behind = viewer.film.result ? 0 : viewer.last - viewer.step;
    const wanted = CATCH_UP.find(([steps]) => behind > steps)?.[1] ?? USUAL_SPEED;
    if (wanted !== this.speed) this.setSpeed(wanted);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.viewer.setSpeed(speed);
  }
}

for (const element of document.querySelectorAll("[data-screen]")) new Screen(element);
