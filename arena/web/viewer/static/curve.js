// The chances of each seat along the match: one line per seat, with its own dashes and marker.

import { el, setAttribute, setText, svg } from "./dom.js";
import { botName, dashes, marker, seatClass, shapePath } from "./seats.js";
import { percent } from "./words.js";

const HEIGHT = 116;
const EDGE = { left: 34, right: 10, top: 8, bottom: 8 };
const MARKS = 7;

export class Curve {
  /** @param {(step: number) => void} onGo */
  constructor(onGo) {
    this.onGo = onGo;
    this.film = null;
    this.chances = null;
    this.drawing = svg("svg", { class: "plot", role: "img", height: HEIGHT });
    this.legend = el("ul", { class: "legend" });
    this.note = el("p", { class: "note" });
    const title = el("figcaption", {}, "Chances to win ", el("small", {}, "between simple players who play on from here"));
    this.element = el("figure", { class: "curve", hidden: true }, title, el("div", { class: "plot-part" }, this.drawing), this.legend, this.note);
    new ResizeObserver(() => this.redraw()).observe(this.drawing.parentElement ?? this.drawing);
    this.drawing.addEventListener("pointerdown", (event) => {
      this.drawing.setPointerCapture(event.pointerId);
      this.point(event);
    });
    this.drawing.addEventListener("pointermove", (event) => event.buttons && this.point(event));
  }

  /** @param {{seat: number | null, steps: number[], shares: number[][]} | null} chances */
  show(film, chances) {
    this.film = film;
    this.chances = chances?.steps.length ? chances : null;
    this.element.hidden = !this.chances;
    const seats = this.chances ? film.seats : [];
    this.legend.replaceChildren(
      ...seats.map((_, seat) =>
        el("li", { "data-seat": seat, title: botName(film, seat) }, marker(seat), el("bdi", { class: "bot" }, botName(film, seat)), el("b")),
      ),
    );
    this.width = 0;
    this.redraw();
  }

  redraw() {
    const width = Math.round(this.drawing.parentElement?.clientWidth ?? 0);
    if (!this.chances || !width || width === this.width) return;
    this.width = width;
    setAttribute(this.drawing, "viewBox", `0 0 ${width} ${HEIGHT}`);
    setAttribute(this.drawing, "width", width);
    const grid = [0, 0.5, 1].flatMap((share) => [
      svg("line", { class: "grid", x1: EDGE.left, x2: width - EDGE.right, y1: this.y(share), y2: this.y(share) }),
      svg("text", { class: "axis", x: EDGE.left - 6, y: this.y(share) + 4, "text-anchor": "end" }, `${100 * share}`),
    ]);
    this.cursor = svg("line", { class: "cursor", y1: 0, y2: HEIGHT });
    this.drawing.replaceChildren(...grid, ...this.film.seats.flatMap((_, seat) => this.line(seat)), this.cursor);
    this.mark(this.step ?? 0, this.eyes);
  }

  line(seat) {
    const points = this.chances.steps.map((step, place) => [this.x(step), this.y(this.chances.shares[place][seat])]);
    const line = svg("polyline", {
      class: `chance ${seatClass(seat)}`,
      points: points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "),
      "stroke-dasharray": dashes(seat) || null,
      "data-seat": seat,
    });
    const every = Math.max(1, Math.floor(points.length / MARKS));
    const marks = points
      .filter((_, place) => place % every === seat % every)
      .map(([x, y]) => svg("g", { class: seatClass(seat), transform: `translate(${(x - 4).toFixed(1)} ${(y - 4).toFixed(1)}) scale(.33)` }, shapePath(seat)));
    return [line, ...marks];
  }

  x(step) {
    const steps = Math.max(1, this.film.entries.length);
    return EDGE.left + (Math.min(step, steps) / steps) * (this.width - EDGE.left - EDGE.right);
  }

  y(share) {
    return EDGE.top + (1 - share) * (HEIGHT - EDGE.top - EDGE.bottom);
  }

  /** The chance of each seat at a step; interpolated between the steps at which it was computed. */
  at(step) {
    const { steps, shares } = this.chances;
    const after = steps.findIndex((each) => each >= step);
    if (after <= 0) return shares[after === 0 ? 0 : shares.length - 1];
    const part = (step - steps[after - 1]) / (steps[after] - steps[after - 1]);
    return shares[after].map((share, seat) => shares[after - 1][seat] + part * (share - shares[after - 1][seat]));
  }

  /** Marks the current step. What a seat could not have known is hidden from it. */
  mark(step, eyes = null) {
    this.step = step;
    this.eyes = eyes;
    if (!this.chances) return;
    const hidden = !this.film.same_view && eyes !== null && this.chances.seat !== eyes;
    setAttribute(this.element, "data-hidden", hidden);
    setText(this.note, hidden ? "The curve knows all cards, so it is not shown through a seat's eyes." : "");
    const now = this.at(step);
    [...this.legend.children].forEach((item, seat) => setText(item.lastElementChild, percent(now[seat])));
    const said = now.map((share, seat) => `seat ${seat} ${percent(share)}`).join(", ");
    setAttribute(this.drawing, "aria-label", `Chances to win at this step: ${said}`);
    if (this.cursor) setAttribute(this.cursor, "transform", `translate(${this.x(step).toFixed(1)} 0)`);
  }

  point(event) {
    const box = this.drawing.getBoundingClientRect();
    const share = (event.clientX - box.x - EDGE.left) / (this.width - EDGE.left - EDGE.right);
    this.onGo(Math.max(0, Math.min(1, share)) * this.film.entries.length);
  }
}
