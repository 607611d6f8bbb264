// A table of Mantis: seats around it with their tanks and score piles, the draw pile in the middle with its odds.
//
// Attributes for tests and scripts: .seat[data-seat][data-turn][data-out], .tank-slot[data-seat][data-colour][data-count],
// .score[data-seat][data-score], .draw[data-pile][data-top][data-next], .odd[data-colour][data-chance].

import { el, keep, setAttribute, setText, svg } from "./dom.js";
import { ICON_NAMES, drawBack, drawChip, drawFront, drawPlace, iconPath } from "./mantis_cards.js";
import { Flights } from "./motion.js";
import { botName, marker, seatClass } from "./seats.js";
import { ChoiceButtons } from "./choices.js";
import { COLOUR_NAMES, cardCount, percent } from "./words.js";

const MOST_IN_STACK = 6;

export class MantisTable {
  /** @param {HTMLElement} element @param {import("./film.js").Film} film @param {((action: string) => void) | null} onChoose null: for spectators */
  constructor(element, film, onChoose) {
    this.film = film;
    this.letters = [...film.colours];
    this.seats = film.seats.map((_, seat) => this.makeSeat(seat));
    this.middle = this.makeMiddle();
    this.element = el(
      "div",
      { class: "table mantis", "data-seats": film.seats.length, "data-played": onChoose !== null },
      ...this.seats.map((seat) => seat.element),
      this.middle.element,
    );
    element.append(this.element);
    this.flights = new Flights(this.element);
    this.choices = new ChoiceButtons(onChoose);
  }

  makeSeat(seat) {
    const slots = this.letters.map((letter) => {
      const stack = el("span", { class: "stack" });
      const count = el("span", { class: "count" });
      const element = el("li", { class: "tank-slot", "data-seat": seat, "data-colour": letter }, drawPlace(letter), stack, count);
      return { element, stack, count, letter };
    });
    const pips = el("span", { class: "pips", "aria-hidden": "true" });
    keep(pips, this.film.goal, () => el("i"));
    const points = el("span", { class: "points" });
    const score = el("p", { class: "score", "data-seat": seat }, pips, points);
    const badge = el("span", { class: "badge" });
    const name = el("bdi", { class: "bot" }, botName(this.film, seat));
    const heading = el("p", { class: "seat-name", title: botName(this.film, seat) }, marker(seat), name, badge);
    const choice = el("div", { class: "choice-place" });
    const tank = el("ul", { class: "tank", "aria-label": `Tank of seat ${seat}` }, ...slots.map((slot) => slot.element));
    const label = `Seat ${seat} ${botName(this.film, seat)}`;
    const element = el(
      "div",
      { class: `seat ${seatClass(seat)}`, role: "group", "aria-label": label, "data-seat": seat },
      heading,
      tank,
      score,
      choice,
    );
    return { element, slots, pips, points, score, badge, choice };
  }

  makeMiddle() {
    const card = el("div", { class: "draw-card" });
    const left = el("p", { class: "draw-left" });
    const draw = el("div", { class: "draw" }, card, left);
    const flip = el("div", { class: "last-flip" });
    const odds = el("ul", { class: "odds", "aria-label": "Odds of the next flip" });
    const next = el("p", { class: "next-flip" });
    const element = el("div", { class: "middle" }, draw, el("div", { class: "odds-part" }, odds, next), flip);
    return { element, card, left, draw, odds, next, flip };
  }

  /** Shows a frame; see table.js. */
  show(frame, { seat = null, choices = [], entry = null, out = [], result = null, duration = 0 } = {}) {
    if (seat !== this.eyes) this.flights.moved();
    this.eyes = seat;
    setAttribute(this.element, "data-turn", frame.turn ?? "");
    this.seats.forEach((each, number) => this.showSeat(each, number, frame, { eyes: seat, out, result: frame.turn === null ? result : null }));
    this.showMiddle(frame, entry);
    this.choices.show(choices, (action) => this.placeOf(action, seat ?? frame.turn));
    if (entry?.do && duration) this.fly(entry, duration);
    else this.flights.stop();
  }

  showSeat(each, number, frame, { eyes, out, result }) {
    const seats = this.film.seats.length;
    const score = frame.scores[number];
    setAttribute(each.element, "data-place", (number - (eyes ?? 0) + seats) % seats);
    setAttribute(each.element, "data-turn", number === frame.turn);
    setAttribute(each.element, "data-out", out.includes(number));
    setAttribute(each.element, "data-winner", Boolean(result?.winners.includes(number)));
    setText(each.badge, badgeOf(number, frame, out, result));
    each.slots.forEach((slot, colour) => this.showSlot(slot, frame.tanks[number][colour]));
    setAttribute(each.score, "data-score", score);
    [...each.pips.children].forEach((pip, place) => setAttribute(pip, "class", place < score ? "full" : null));
    setText(each.points, `${score}/${this.film.goal}`);
    setAttribute(each.points, "aria-label", `${score} of ${this.film.goal} cards scored`);
  }

  showSlot(slot, count) {
    setAttribute(slot.element, "data-count", count);
    setText(slot.count, count ? String(count) : "");
    setAttribute(slot.element, "aria-label", `${COLOUR_NAMES[slot.letter]} ${count}`);
    keep(slot.stack, Math.min(count, MOST_IN_STACK), (place) => {
      const card = drawFront(slot.letter);
      card.style.setProperty("--i", String(place));
      return card;
    });
  }

  showMiddle(frame, entry) {
    const { card, left, draw, odds, next, flip } = this.middle;
    setAttribute(draw, "data-pile", frame.pile);
    if (draw.dataset.top !== (frame.top ?? "")) {
      setAttribute(draw, "data-top", frame.top ?? "");
      card.replaceChildren(frame.top ? drawBack(frame.top) : drawPlace("R"));
      setAttribute(card, "class", frame.top ? "draw-card" : "draw-card empty");
    }
    setText(left, frame.pile ? cardCount(frame.pile) + " left" : "draw pile empty");
    this.showOdds(odds, frame);
    const coming = frame.turn === null ? "" : (frame.next ?? "");
    setAttribute(draw, "data-next", coming || null);
    if (next.dataset.front !== coming) {
      next.dataset.front = coming;
      next.replaceChildren(...(coming ? ["the next flip is", drawChip(coming[0]), ...iconWord(coming)] : []));
    }
    const front = entry?.flip ? frontOf(entry.flip) : "";
    if (flip.dataset.card !== (entry?.flip ?? "")) {
      flip.dataset.card = entry?.flip ?? "";
      flip.replaceChildren(...(front ? [drawFront(front), el("p", {}, "flipped")] : []));
    }
  }

  showOdds(odds, frame) {
    const letters = [...(frame.top ?? "")];
    if (odds.dataset.top !== (frame.top ?? "")) {
      odds.dataset.top = frame.top ?? "";
      odds.replaceChildren(...letters.map(makeOdd));
    }
    letters.forEach((_, place) => {
      const row = odds.children[place];
      const chance = frame.odds[place];
      setAttribute(row, "data-chance", chance);
      row.querySelector(".bar").style.setProperty("--share", String(chance));
      setText(row.querySelector(".value"), percent(chance));
    });
  }

  /** The element for the button of an action: the tank that the card would be flipped into. */
  placeOf(action, actor) {
    const target = action.split(" ")[1];
    return this.seats[target === undefined ? actor : Number(target)]?.choice ?? this.middle.element;
  }

  /** Animates the flipped card to its tank, and the cards that match from there. */
  fly(entry, duration) {
    const [kind, target] = entry.do.split(" ");
    const actor = this.seats[entry.seat];
    if (kind === "pilfer") {
      this.flights.carry(this.seats[Number(target)].score, actor.score, null, 1, { duration });
      return;
    }
    const colour = this.letters.indexOf(entry.flip[0]);
    const slot = this.seats[entry.into].slots[colour];
    const matched = entry.moved > 0;
    const half = matched ? duration * 0.5 : duration * 0.75;
    this.flights.flip(this.middle.card, slot.element, entry.flip, { duration: half });
    if (matched) {
      const goal = entry.to === "score" ? actor.score : actor.slots[colour].element;
      this.flights.carry(slot.element, goal, entry.flip[0], entry.moved, { duration: duration * 0.4, delay: half });
      const there = entry.to === "score" ? actor.pips.querySelectorAll(".full") : actor.slots[colour].stack.children;
      this.flights.arrive([...there].slice(-entry.moved), half + duration * 0.3, duration);
    } else {
      this.flights.arrive([...slot.stack.children].slice(-1), half * 0.9, duration);
    }
  }
}

function badgeOf(seat, frame, out, result) {
  if (out.includes(seat)) return "forfeited";
  if (result) return result.winners.includes(seat) ? "winner" : "";
  if (seat !== frame.turn) return "";
  return frame.pilfering ? "pilfers" : "to move";
}

function frontOf(card) {
  const icon = card.split("+")[1];
  return icon ? `${card[0]}+${icon}` : card[0];
}

function iconWord(front) {
  const icon = front.split("+")[1];
  if (!icon) return [];
  return [svg("svg", { viewBox: "0 0 24 24", class: "icon-sign", "aria-hidden": "true" }, iconPath(icon)), ICON_NAMES[icon]];
}

function makeOdd(letter) {
  const bar = el("span", { class: `bar m${letter}`, "aria-hidden": "true" }, el("i"));
  return el(
    "li",
    { class: "odd", "data-colour": letter },
    drawChip(letter),
    el("span", { class: "name" }, COLOUR_NAMES[letter]),
    bar,
    el("span", { class: "value" }),
  );
}
