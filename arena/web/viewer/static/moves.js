// The list of all steps in words. The current one is marked; each is a link to its position.

import { el, setAttribute, setText } from "./dom.js";
import { lastStep } from "./film.js";
import { marker } from "./seats.js";
import { sentence, thinkTime } from "./words.js";

export class Moves {
  /**
   * @param {import("./film.js").Film} film @param {(step: number) => string} address
   * @param {(step: number) => void} onGo
   */
  constructor(film, address, onGo) {
    this.film = film;
    this.address = address;
    this.seat = null;
    this.current = -1;
    this.list = el("ol", { class: "moves", start: 0 });
    this.box = el("div", { class: "moves-box", tabindex: 0, role: "region", "aria-label": "All steps" }, this.list);
    this.element = this.box;
    this.list.addEventListener("click", (event) => {
      // With a modifier key the browser follows the link. Otherwise the step is shown here, even if the address already names it.
      const item = event.target.closest("li");
      if (!item || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      onGo(Number(item.dataset.step));
    });
    this.extend();
  }

  /** Adds the steps that are new. */
  extend() {
    const last = lastStep(this.film);
    for (let step = this.list.children.length; step <= last; step += 1) this.list.append(this.make(step));
  }

  make(step) {
    const entry = this.film.entries[step - 1] ?? null;
    const words = el("span", { class: "words" }, sentence(this.film, step, this.seat));
    const link = el("a", { href: this.address(step) }, ...(entry ? [marker(entry.seat)] : []), words);
    if (entry?.ms !== undefined) link.append(el("span", { class: "ms" }, entry.house ? "house" : thinkTime(entry.ms)));
    return el("li", { "data-step": step, "data-fault": Boolean(entry?.fault) }, link);
  }

  /** Rewrites every step as the seat may know it. */
  say(seat) {
    this.seat = seat;
    [...this.list.children].forEach((item, step) => {
      setText(item.querySelector(".words"), sentence(this.film, step, seat));
      setAttribute(item.firstElementChild, "href", this.address(step));
    });
  }

  /** Marks the current step. */
  mark(step) {
    if (step === this.current && this.marked?.isConnected) return;
    if (this.marked) setAttribute(this.marked.firstElementChild, "aria-current", null);
    this.marked = this.list.children[step];
    this.current = step;
    if (!this.marked) return;
    setAttribute(this.marked.firstElementChild, "aria-current", "step");
    cancelAnimationFrame(this.sight);
    this.sight = requestAnimationFrame(() => this.bringIntoSight());
  }

  /** Scrolls only the list, once per animation frame, because reading positions forces a layout. */
  bringIntoSight() {
    const { offsetTop, offsetHeight } = this.marked;
    const { scrollTop, clientHeight } = this.box;
    if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight) {
      this.box.scrollTop = offsetTop - clientHeight / 2;
    }
  }
}
