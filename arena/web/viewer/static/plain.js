// A table without drawings, for games that have none of their own: what each seat may know, line by line.
//
// Attributes for tests and scripts: .plain .seat[data-seat][data-turn][data-out], .plain .known li.

import { el, keep, setAttribute, setText } from "./dom.js";
import { ChoiceButtons } from "./choices.js";
import { botName, marker, seatClass } from "./seats.js";

export class PlainTable {
  /** @param {HTMLElement} element @param {import("./film.js").Film} film @param {((action: string) => void) | null} onChoose */
  constructor(element, film, onChoose) {
    this.seats = film.seats.map((_, seat) => {
      const known = el("ul", { class: "known" });
      const name = el("p", { class: "seat-name" }, marker(seat), el("bdi", { class: "bot" }, botName(film, seat)));
      return { known, element: el("div", { class: `seat ${seatClass(seat)}`, "data-seat": seat }, name, known) };
    });
    this.place = el("div", { class: "choice-place" });
    element.append(el("div", { class: "table plain" }, ...this.seats.map((each) => each.element), this.place));
    this.choices = new ChoiceButtons(onChoose);
  }

  show(frame, { choices = [], out = [] } = {}) {
    this.seats.forEach(({ element, known }, seat) => {
      setAttribute(element, "data-turn", seat === frame.turn);
      setAttribute(element, "data-out", out.includes(seat));
      const lines = frame.lines[seat] ?? [];
      keep(known, lines.length, () => el("li"));
      lines.forEach((line, place) => setText(known.children[place], line));
    });
    this.choices.show(choices, () => this.place);
  }
}
