// Animates cards. The table always shows the current frame; copies above it move, by transform and opacity alone, so
// that no layout is needed.

import { el, reducedMotion } from "./dom.js";
import { drawBack, drawFront } from "./mantis_cards.js";

const GENTLE = "cubic-bezier(.3, 0, .2, 1)";

export class Flights {
  /** @param {HTMLElement} table the copies fly over it; it must be positioned */
  constructor(table) {
    this.table = table;
    this.layer = el("div", { class: "flights", "aria-hidden": "true" });
    table.append(this.layer);
    /** Cached positions, until the table changes its size: reading them at each step would force a layout. */
    this.places = new Map();
    this.running = new Set();
    this.drawn = new Map();
    new ResizeObserver(() => this.places.clear()).observe(table);
  }

  /** The middle of an element, and its width, in the table's own coordinates. */
  place(element) {
    if (!this.places.has(element)) {
      const around = this.table.getBoundingClientRect();
      const box = element.getBoundingClientRect();
      this.places.set(element, { x: box.x - around.x + box.width / 2, y: box.y - around.y + box.height / 2, width: box.width });
    }
    return this.places.get(element);
  }

  /** Forgets the positions, because elements have moved. */
  moved() {
    this.places.clear();
  }

  stop() {
    for (const animation of this.running) animation.cancel();
  }

  animate(element, keyframes, options) {
    const animation = element.animate(keyframes, { easing: GENTLE, fill: "backwards", ...options });
    this.running.add(animation);
    const over = () => this.running.delete(animation);
    animation.addEventListener("finish", over);
    animation.addEventListener("cancel", over);
    return animation;
  }

  /** A copy that is removed at the end of its animation. The faces are drawn once and reused. */
  copy(key, make) {
    const spare = this.drawn.get(key) ?? [];
    this.drawn.set(key, spare);
    const flyer = spare.pop() ?? el("div", { class: "flyer" }, ...make());
    this.layer.append(flyer);
    return { flyer, release: () => (flyer.remove(), spare.push(flyer)) };
  }

  /** Turns a card over while it moves from one element to another. */
  flip(from, to, card, { duration }) {
    if (reducedMotion()) return;
    const [start, end] = [this.place(from), this.place(to)];
    const front = card.includes("+") ? `${card[0]}+${card.split("+")[1]}` : card[0];
    const { flyer, release } = this.copy(`flip ${card}`, () => {
      const back = drawBack(card.slice(2, 5));
      const face = drawFront(front);
      face.classList.add("turned");
      return [back, face];
    });
    const ratio = end.width / start.width;
    flyer.style.width = `${start.width}px`;
    const animation = this.animate(
      flyer,
      [
        { transform: at(start, 1, 0) },
        { transform: at(between(start, end), (1 + ratio) / 2 + 0.25, 110), offset: 0.5 },
        { transform: at(end, ratio, 180) },
      ],
      { duration },
    );
    animation.addEventListener("finish", release);
    animation.addEventListener("cancel", release);
  }

  /** Moves cards of one colour together; a face-down card (letter null) is shown blank. */
  carry(from, to, letter, count, { duration, delay = 0 }) {
    if (reducedMotion()) return;
    const [start, end] = [this.place(from), this.place(to)];
    const { flyer, release } = this.copy(`carry ${letter} ${count}`, () => [
      letter ? drawFront(letter) : el("span", { class: "blank" }),
      el("span", { class: "many" }, `×${count}`),
    ]);
    const width = letter ? Math.min(start.width, end.width) : Math.min(start.width / 4, 40);
    flyer.style.width = `${width}px`;
    const animation = this.animate(
      flyer,
      [
        { transform: at(start, 1, 0), opacity: 1 },
        { transform: at(between(start, end), 1.25, 0), opacity: 1, offset: 0.55 },
        { transform: at(end, 0.8, 0), opacity: 0.2 },
      ],
      { duration, delay },
    );
    animation.addEventListener("finish", release);
    animation.addEventListener("cancel", release);
  }

  /** Animates an element to its place from another one. */
  move(element, away, duration) {
    if (reducedMotion()) return;
    this.animate(element, [{ transform: away, opacity: 0.3 }, { transform: "none", opacity: 1 }], { duration });
  }

  /** Shows an element only after its card has arrived. */
  arrive(elements, delay, duration) {
    if (reducedMotion()) return;
    for (const element of elements) {
      this.animate(element, [{ opacity: 0.05 }, { opacity: 1 }], { duration: duration * 0.15, delay });
    }
  }
}

function between(one, other) {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 - 18 };
}

function at({ x, y }, scale, turned) {
  return `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%) perspective(600px) scale(${scale.toFixed(3)}) rotateY(${turned}deg)`;
}
