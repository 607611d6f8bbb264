// A table of Tentagram: the pentagram with its ten piles, in each pile a column of cards for every seat that has laid
// there, and beside it the seats with their hands. At the end it shows the scoring, pile by pile.
//
// Attributes for tests and scripts: .pile[data-table][data-count][data-winner][data-taken], in it
// .laid[data-seat][data-face][data-fit], and .hand[data-seat][data-hand][data-left][data-won][data-turn].

import { ChoiceButtons } from "./choices.js";
import { el, keep, setAttribute, setText, svg } from "./dom.js";
import { TABLE_CARDS, fits } from "./film.js";
import { Flights } from "./motion.js";
import { countsOf, sharedCounts, wonIn } from "./scoring.js";
import { botName, marker, seatClass } from "./seats.js";
import { PILE, VIEW, drawHand, drawStar, pilePlace } from "./tentagram_star.js";

const STACK = { top: -18, bottom: 33, widest: 40, highest: 17 };
const SMALLEST_LETTERS = 6.5;

export class TentagramTable {
  /** @param {HTMLElement} element @param {import("./film.js").Film} film @param {((action: string) => void) | null} onChoose null: for spectators */
  constructor(element, film, onChoose) {
    this.film = film;
    this.cards = [];
    this.piles = Object.fromEntries(TABLE_CARDS.map((table) => [table, makePile(table)]));
    const box = `${VIEW.x} ${VIEW.y} ${VIEW.width} ${VIEW.height}`;
    const drawing = svg("svg", { viewBox: box, class: "pentagram", role: "img", "aria-label": "The ten piles" });
    drawing.append(...drawStar(TABLE_CARDS), ...Object.values(this.piles).map((pile) => pile.element));
    this.star = el("div", { class: "star" }, drawing);
    this.places = Object.fromEntries(TABLE_CARDS.map((table) => [table, makePlace(table)]));
    this.star.append(...Object.values(this.places));
    this.hands = film.seats.map((_, seat) => this.makeHand(seat));
    const seats = el("ul", { class: "hands", "aria-label": "Seats" }, ...this.hands.map((hand) => hand.element));
    this.toCome = el("p", { class: "to-come" });
    this.words = el("ul");
    keep(this.words, TABLE_CARDS.length, () => el("li"));
    const words = el("details", { class: "in-words" }, el("summary", {}, "The piles in words"), this.words);
    this.element = el(
      "div",
      { class: "table tentagram", "data-seats": film.seats.length },
      this.star,
      el("div", { class: "hands-part" }, seats, this.toCome, words),
    );
    element.append(this.element);
    this.drawing = drawing;
    this.flights = new Flights(this.element);
    this.choices = new ChoiceButtons(onChoose);
  }

  makeHand(seat) {
    const card = el("span", { class: "hand-place" });
    const left = el("span");
    const letters = el("span", { class: "hand-letters" });
    const badge = el("span", { class: "badge" });
    const facts = el("span", { class: "hand-facts" }, badge, left, letters);
    const name = el("bdi", { class: "bot", title: botName(this.film, seat) }, botName(this.film, seat));
    const element = el("li", { class: `hand ${seatClass(seat)}`, "data-seat": seat }, marker(seat), name, card, facts);
    return { element, card, left, letters, badge };
  }

  /** Shows a frame; see table.js. */
  show(frame, { seat = null, choices = [], entry = null, out = [], scoring = null, result = null, duration = 0 } = {}) {
    while (this.cards.length > frame.laid.length) this.cards.pop().element.remove();
    frame.laid.forEach((laid, number) => this.showCard(laid, number));
    TABLE_CARDS.forEach((table, place) => setText(this.words.children[place], this.layOut(table, this.piles[table], scoring)));
    this.hands.forEach((hand, number) => this.showHand(hand, number, frame, out, scoring, result));
    const coming = seat === null ? null : frame.to_come[seat];
    setText(this.toCome, coming?.length ? `Still to come: ${coming.join(" ")}` : "");
    this.choices.show(choices, (action) => this.places[action]);
    if (entry?.do && duration && !scoring) this.drop(entry, duration);
    else this.flights.stop();
  }

  showCard([seat, table, face], number) {
    let card = this.cards[number];
    if (card && (card.seat !== seat || card.table !== table)) {
      card.element.remove();
      card = undefined;
    }
    if (!card) {
      card = makeCard(seat, table);
      this.cards[number] = card;
      this.piles[table].cards.append(card.element);
    }
    card.face = face;
    setAttribute(card.element, "data-face", face ?? "?");
    setAttribute(card.element, "data-fit", face ? (fits(face, table) ? "yes" : "no") : null);
  }

  /** Puts the cards of a pile into columns, one for each seat that has laid there, and describes the pile. */
  layOut(table, pile, scoring) {
    const cards = this.cards.filter((card) => card.table === table);
    const columns = new Map();
    for (const card of cards) columns.set(card.seat, [...(columns.get(card.seat) ?? []), card]);
    const seats = [...columns.keys()].sort((one, other) => one - other);
    const highest = Math.max(1, ...[...columns.values()].map((column) => column.length));
    const width = Math.min(STACK.widest, (PILE.width - 10) / Math.max(1, seats.length));
    const height = Math.min(STACK.highest, (STACK.bottom - STACK.top) / highest);
    const left = (-width * seats.length) / 2;
    seats.forEach((seat, column) => {
      columns.get(seat).forEach((card, place) => {
        putCard(card, left + column * width, STACK.bottom - (place + 1) * height, width, height);
      });
    });
    setAttribute(pile.element, "data-count", cards.length);
    this.showFeet(pile, seats, left, width);
    this.showScoring(table, pile, columns, seats, left, width, height, scoring);
    const words = pileInWords(table, columns);
    setText(pile.title, words);
    return words;
  }

  showFeet(pile, seats, left, width) {
    keep(pile.feet, seats.length, () => svg("text", { class: "foot", y: STACK.bottom + 14, "text-anchor": "middle" }));
    seats.forEach((seat, column) => {
      const foot = pile.feet.children[column];
      setText(foot, String(seat));
      setAttribute(foot, "x", (left + (column + 0.5) * width).toFixed(1));
      setAttribute(foot, "class", `foot ${seatClass(seat)}`);
      setAttribute(foot, "font-size", Math.min(15, width * (seat > 9 ? 0.8 : 1.4)).toFixed(1));
    });
  }

  showScoring(table, pile, columns, seats, left, width, height, scoring) {
    const now = scoring?.pile?.table === table;
    const scored = scoring?.done.find((each) => each.table === table) ?? (now ? scoring.pile : null);
    const awarded = Boolean(scoring?.done.some((each) => each.table === table));
    setAttribute(pile.element, "data-phase", now ? scoring.phase : awarded ? "done" : null);
    setAttribute(pile.element, "data-winner", awarded ? (scored.winner ?? "nobody") : null);
    setAttribute(pile.element, "data-taken", awarded ? scored.taken : null);
    setAttribute(pile.ground, "class", `ground${awarded && scored.winner !== null ? ` won ${seatClass(scored.winner)}` : ""}`);
    const aside = new Set(scored ? scored.aside : []);
    for (const column of columns.values()) {
      for (const card of column) setAttribute(card.element, "data-aside", aside.has(`${card.seat}:${card.face}`));
    }
    const counts = scored && (awarded || scoring.phase !== "check") ? countsOf(scored) : new Map();
    const shared = sharedCounts(counts.values());
    keep(pile.counts, counts.size ? seats.length : 0, () => svg("text", { "text-anchor": "middle" }));
    [...pile.counts.children].forEach((label, column) => {
      const count = counts.get(seats[column]) ?? 0;
      const y = STACK.bottom - columns.get(seats[column]).length * height - 4;
      setText(label, count ? String(count) : "");
      setAttribute(label, "x", (left + (column + 0.5) * width).toFixed(1));
      setAttribute(label, "y", y.toFixed(1));
      setAttribute(label, "font-size", Math.min(16, width * 1.3).toFixed(1));
      setAttribute(label, "class", `tally${shared.has(count) ? " struck" : ""}`);
    });
    const verdict = !awarded ? "" : scored.winner === null ? "nobody" : `seat ${scored.winner} takes ${scored.taken}`;
    setText(pile.verdict, verdict);
  }

  showHand(hand, seat, frame, out, scoring, result) {
    const over = frame.turn === null;
    const card = frame.hands[seat];
    const left = frame.left[seat];
    const shown = over || !left ? "" : (card ?? "?");
    const won = scoring ? wonIn(scoring.done, frame.hands.length)[seat] : null;
    setAttribute(hand.element, "data-turn", seat === frame.turn);
    setAttribute(hand.element, "data-out", out.includes(seat));
    setAttribute(hand.element, "data-left", left);
    setAttribute(hand.element, "data-won", won);
    if (hand.element.dataset.hand !== shown) {
      setAttribute(hand.element, "data-hand", shown);
      hand.card.replaceChildren(...(shown ? [drawHand(card, seat)] : []));
    }
    const total = scoring?.phase === "total";
    const isShared = total && frame.hands.some((_, other) => other !== seat && wonIn(scoring.done, frame.hands.length)[other] === won);
    setAttribute(hand.element, "data-shared", isShared);
    setAttribute(hand.element, "data-winner", total && Boolean(result?.winners.includes(seat)));
    setText(hand.left, won !== null ? `${won} won` : over ? "" : `${left} left`);
    setText(hand.letters, shown && shown !== "?" ? shown : "");
    const place = total && result ? `${result.placements[seat]}.` : "";
    setText(hand.badge, out.includes(seat) ? `forfeited ${place}` : total ? place : seat === frame.turn ? "to move" : "");
  }

  /** Animates the card from its seat to its pile. */
  drop(entry, duration) {
    const card = this.cards.at(-1);
    if (!card) return;
    const from = this.flights.place(this.hands[entry.seat].element);
    const star = this.flights.place(this.drawing);
    const scale = star.width / VIEW.width;
    const place = pilePlace(entry.do);
    const target = { x: (place.x - VIEW.x - VIEW.width / 2) * scale + star.x, y: (place.y - VIEW.y - VIEW.height / 2) * scale + star.y };
    const away = `translate(${((from.x - target.x) / scale).toFixed(1)}px, ${((from.y - target.y) / scale).toFixed(1)}px)`;
    this.flights.move(card.inner, away, duration * 0.6);
  }
}

function makePile(table) {
  const { x, y } = pilePlace(table);
  const ground = svg("rect", { x: -PILE.width / 2, y: -PILE.height / 2, width: PILE.width, height: PILE.height, rx: 10, class: "ground" });
  const cards = svg("g");
  const feet = svg("g");
  const counts = svg("g");
  const title = svg("title");
  const verdict = svg("text", { class: "verdict", "text-anchor": "middle", y: PILE.height / 2 + 16 });
  const label = svg(
    "g",
    { class: "table-label", transform: `translate(0 ${-PILE.height / 2})` },
    svg("rect", { x: -24, y: -13, width: 48, height: 25, rx: 7 }),
    svg("text", { x: 0, y: 6.5, "text-anchor": "middle" }, table),
  );
  const element = svg(
    "g",
    { class: "pile", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, "data-table": table },
    title,
    ground,
    label,
    cards,
    feet,
    counts,
    verdict,
  );
  return { element, ground, cards, feet, counts, verdict, title };
}

function makePlace(table) {
  const { x, y } = pilePlace(table);
  const place = el("div", { class: "pile-choice" });
  place.style.left = `${((x - VIEW.x) / VIEW.width) * 100}%`;
  place.style.top = `${((y - VIEW.y) / VIEW.height) * 100}%`;
  return place;
}

function makeCard(seat, table) {
  const body = svg("rect", { class: "body", rx: 3 });
  const face = svg("text", { class: "face-word", "text-anchor": "middle" });
  const inner = svg("g", {}, body, face);
  const element = svg("g", { class: `laid ${seatClass(seat)}`, "data-seat": seat }, inner);
  return { element, inner, body, word: face, seat, table, face: null };
}

function putCard(card, x, y, width, height) {
  setAttribute(card.element, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  setAttribute(card.body, "x", 1);
  setAttribute(card.body, "y", 0.8);
  setAttribute(card.body, "width", Math.max(2, width - 2).toFixed(1));
  setAttribute(card.body, "height", Math.max(1.5, height - 1.6).toFixed(1));
  setAttribute(card.word, "x", (width / 2).toFixed(1));
  const size = card.face ? Math.min(11.5, height - 2.5, ((width - 4) / card.face.length) * 1.4) : 0;
  setAttribute(card.word, "y", (height / 2 + size * 0.36).toFixed(1));
  setAttribute(card.word, "font-size", size.toFixed(1));
  setText(card.word, size >= SMALLEST_LETTERS ? card.face : "");
  setAttribute(card.element, "data-letters", size >= SMALLEST_LETTERS);
}

function pileInWords(table, columns) {
  const said = [...columns].map(([seat, cards]) => `seat ${seat}: ${cards.map((card) => card.face ?? "face down").join(", ")}`);
  return said.length ? `${table}. ${said.join("; ")}` : `${table}, empty`;
}
