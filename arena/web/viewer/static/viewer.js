// The viewer of a match: the table, the controls, the list of moves, the chances.
//
//     const viewer = new Viewer(element, film, { chances, seat, step, url, heading });
//     viewer.go(12);            shows a step; viewer.play(), viewer.pause()
//     viewer.look(2);           through a seat's eyes; null: everything
//     viewer.extend(more);      adds to the film what FilmMaker.add returned; a viewer at the end stays at the end
//     viewer.setChances(chances);
//     viewer.close();           stops it and lets go of the page's keys, so that another film can take its place
//
// Options, all of which may be left out: `chances` the curve (arena.web.viewer.chances; one that a seat
// could not have known is not shown through its eyes), `seat` and `step` where to begin,
// `url` whether the address says where one is (`#step=12&seat=2`; it does, and an address that says so wins), `heading`
// the element of the title, `h2` by default, or null for none. The element gets an event "viewer:step" after each step.

import { Controls } from "./controls.js";
import { Curve } from "./curve.js";
import { el, harmless, reducedMotion, setAttribute, setText } from "./dom.js";
import { extendFilm, forfeitedAt, frameAt, lastStep, scoringAt } from "./film.js";
import { Moves } from "./moves.js";
import { marker, seatClass, seatName } from "./seats.js";
import { Table } from "./table.js";
import { places, resultSentence, sentence } from "./words.js";

const STEP_MS = 1500;
const URL_PAUSE_MS = 200;

export class Viewer {
  /** @param {HTMLElement} element @param {import("./film.js").Film} film */
  constructor(element, film, { chances = null, seat = null, step = null, url = true, heading = "h2" } = {}) {
    this.element = element;
    this.film = film;
    this.usesUrl = url;
    this.speed = 1;
    this.timer = null;
    this.ends = new AbortController();
    this.seat = film.seat ?? seat;
    this.step = 0;
    this.stage = el("div", { class: "stage" });
    this.table = new Table(this.stage, film);
    this.now = el("p", { class: "now" });
    this.live = el("p", { class: "unseen", "aria-live": "polite" });
    this.result = el("div", { class: "result", hidden: true });
    this.controls = new Controls(this);
    this.curve = new Curve((wanted) => this.go(wanted));
    this.moves = new Moves(film, (wanted) => this.address(wanted), (wanted) => this.go(wanted));
    const side = el("div", { class: "side" }, this.result, this.moves.element);
    element.classList.add("viewer", "whole");
    element.replaceChildren(this.makeHead(heading), this.stage, this.now, this.controls.element, this.curve.element, side, this.live);
    this.setChances(chances);
    this.controls.listen();
    if (url) addEventListener("hashchange", () => this.followUrl(), { signal: this.ends.signal });
    const place = url ? placeInUrl() : {};
    this.look(place.seat ?? this.seat, { quiet: true });
    this.go(place.step ?? step ?? 0, { quiet: true });
  }

  makeHead(heading) {
    const { game, options, match, seats } = this.film;
    const words = `${game} ${Object.values(options).join(" ")}, ${seats.length} seats`;
    const title = heading ? [el(heading, {}, words)] : [];
    this.seed = el("span", { class: "seed" });
    return el("div", { class: "viewer-head" }, ...title, el("p", {}, `match ${harmless(match)}`, this.seed));
  }

  /** The number of the last step so far. */
  get last() {
    return lastStep(this.film);
  }

  get playing() {
    return this.timer !== null;
  }

  /** Shows a step. `animate`: as a movement from the previous one. */
  go(wanted, { animate = false, quiet = false } = {}) {
    const step = Math.max(0, Math.min(this.last, Math.round(wanted) || 0));
    const forward = step === this.step + 1;
    this.step = step;
    this.draw(animate && forward && !reducedMotion() ? (0.9 * STEP_MS) / this.speed : 0);
    if (!quiet) this.writeUrl();
    this.element.dispatchEvent(new CustomEvent("viewer:step", { detail: { step, seat: this.seat } }));
  }

  next() {
    this.go(this.step + 1, { animate: true });
  }

  back() {
    this.go(this.step - 1);
  }

  draw(duration) {
    const { film, step, seat } = this;
    const entry = film.entries[Math.min(step, film.entries.length) - 1] ?? null;
    this.table.show(frameAt(film, step, seat), {
      seat,
      entry,
      out: forfeitedAt(film, step),
      scoring: scoringAt(film, step),
      result: film.result,
      duration,
    });
    const said = sentence(film, step, seat);
    setText(this.now, said);
    setAttribute(this.now, "data-fault", Boolean(entry?.fault && step <= film.entries.length));
    if (!this.playing) setText(this.live, `Step ${step} of ${this.last}. ${said}`);
    setAttribute(this.element, "data-step", step);
    setAttribute(this.element, "data-seat", seat ?? "all");
    this.controls.mark();
    this.moves.mark(step);
    this.curve.mark(step, seat);
    this.showResult();
  }

  showResult() {
    const { film } = this;
    const over = film.result !== null && this.step === this.last;
    setText(this.seed, film.seed !== undefined && film.result ? `seed ${harmless(film.seed)}` : "");
    if (over && !this.result.childElementCount) {
      const list = el("ol", { class: "places" });
      for (const [place, seat] of places(film)) {
        const won = film.result.winners.includes(seat);
        list.append(
          el(
            "li",
            { class: seatClass(seat), "data-seat": seat, "data-place": place, "data-won": won },
            el("span", { class: "place" }, `${place}.`),
            marker(seat),
            el("bdi", { class: "bot" }, harmless(film.seats[seat])),
            el("span", { class: "with" }, this.withWhat(seat)),
          ),
        );
      }
      this.result.append(el("p", { class: "verdict" }, resultSentence(film)), list);
    }
    this.result.hidden = !over;
  }

  withWhat(seat) {
    const { score, tank, cards } = this.film.result;
    if (score) return `${score[seat]}, tank ${tank[seat]}`;
    return cards ? `${cards[seat]} cards` : "";
  }

  play() {
    if (this.step >= this.last) this.go(0);
    this.schedule();
    this.controls.mark();
  }

  schedule() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.step >= this.last) return this.pause();
      this.go(this.step + 1, { animate: true });
      return this.step >= this.last ? this.pause() : this.schedule();
    }, STEP_MS / this.speed);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.draw(0);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  setSpeed(speed) {
    this.speed = speed;
    if (this.playing) this.schedule();
    this.controls.mark();
  }

  /** Shows what a seat knows. A player sees only their own seat until the game is over. */
  look(seat, { quiet = false } = {}) {
    const isSeat = Number.isInteger(seat) && seat >= 0 && seat < this.film.seats.length;
    const fixed = this.film.seat !== null && this.film.result === null;
    this.seat = fixed ? this.film.seat : isSeat ? seat : null;
    this.moves.say(this.seat);
    if (!quiet) {
      this.draw(0);
      this.writeUrl();
    }
  }

  /** Adds entries to the film. */
  extend(more) {
    const atEnd = this.step >= this.last;
    extendFilm(this.film, more);
    this.moves.extend();
    this.controls.mark();
    if (!atEnd || this.playing) return this.playing ? undefined : this.draw(0);
    this.go(this.film.entries.length, { animate: true });
    return this.step < this.last ? this.play() : undefined; // continue with the scoring
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.urlTimer);
    this.ends.abort();
    this.element.replaceChildren();
  }

  setChances(chances) {
    this.curve.show(this.film, chances);
    if (this.element.dataset.step) this.draw(0);
  }

  /** The address of a step. */
  address(step) {
    return `#step=${step}${this.seat === null ? "" : `&seat=${this.seat}`}`;
  }

  /** Writes the step into the address after a pause: browsers limit how often it changes. */
  writeUrl() {
    if (!this.usesUrl) return;
    clearTimeout(this.urlTimer);
    this.urlTimer = setTimeout(() => history.replaceState(history.state, "", this.address(this.step)), URL_PAUSE_MS);
  }

  followUrl() {
    const { step, seat } = placeInUrl();
    if (seat !== this.seat) this.look(seat ?? null, { quiet: true });
    this.go(step ?? this.step, { quiet: true });
  }

  /** The name of a point of view. */
  eyes() {
    const fixed = this.film.seat !== null && this.film.result === null;
    const seats = this.film.seats.map((_, seat) => [seat, seatName(this.film, seat)]);
    return fixed ? [seats[this.film.seat]] : [[null, "everything"], ...seats];
  }
}

/** The step and the seat in the address: { step, seat }; either may be missing. */
function placeInUrl() {
  const said = new URLSearchParams(location.hash.slice(1));
  const place = {};
  for (const key of ["step", "seat"]) {
    if (/^\d{1,6}$/.test(said.get(key) ?? "")) place[key] = Number(said.get(key));
  }
  return place;
}
