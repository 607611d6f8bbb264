// The screen of the live pages: shows the featured match and its new moves, then switches to the next match. A fast match
// is played at a speed that people can follow; a viewer that falls behind a running match catches up.

import { extendFilm } from "./film.js";
import { follow } from "./live.js";
import { Viewer } from "./viewer.js";

const DEFAULT_SPEED = 2;
const LINGER_MS = 6000;
/** Speeds by the number of steps behind a running match. */
const CATCH_UP = [[12, 8], [5, 4]];

class Screen {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.place = element.querySelector(".screen");
    this.next = element.querySelector(".next");
    this.viewer = null;
    this.waiting = null;
    this.timer = null;
    this.speed = DEFAULT_SPEED;
    this.next.querySelector("button").addEventListener("click", () => this.turn());
    const stream = follow(element, element.dataset.screen);
    stream.addEventListener("film", (event) => this.take(JSON.parse(event.data)));
    stream.addEventListener("more", (event) => this.extend(JSON.parse(event.data)));
    this.place.addEventListener("viewer:step", () => this.look());
  }

  /** Takes a film: a new one, or after a reconnect the same again. */
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

  /** Adds new steps; several are played one after the other. */
  add(more) {
    const { viewer } = this;
    const news = more.start + more.entries.length - viewer.film.entries.length;
    if (news > 1 && !viewer.playing && viewer.step >= viewer.last) viewer.schedule();
    viewer.extend(more);
  }

  /** Whether the end of the film has been shown for a while. */
  get isThrough() {
    return this.isAtEnd && this.timer === null;
  }

  get isAtEnd() {
    const { viewer } = this;
    return Boolean(viewer?.film.result) && viewer.step >= viewer.last;
  }

  /** Shows the waiting film. */
  turn() {
    if (!this.waiting) return;
    const { film, at } = this.waiting;
    this.waiting = null;
    clearTimeout(this.timer);
    this.timer = null;
    this.viewer?.close();
    this.viewer = new Viewer(this.place, film, { step: at, url: false });
    this.setSpeed(DEFAULT_SPEED);
    if (this.viewer.step < this.viewer.last) this.viewer.schedule();
    this.look();
  }

  /** Updates the screen after each step and each event. */
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
    if (viewer.speed !== this.speed) return; // the user has chosen another speed
    const behind = viewer.film.result ? 0 : viewer.last - viewer.step;
    const wanted = CATCH_UP.find(([steps]) => behind > steps)?.[1] ?? DEFAULT_SPEED;
    if (wanted !== this.speed) this.setSpeed(wanted);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.viewer.setSpeed(speed);
  }
}

for (const element of document.querySelectorAll("[data-screen]")) new Screen(element);
