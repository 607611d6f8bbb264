// The pentagram of Tentagram: where the corners and the ten piles are, and how a card looks.

import { svg } from "./dom.js";
import { seatClass } from "./seats.js";

export const VIEW = { x: 36, y: 14, width: 728, height: 712 };
export const PILE = { width: 132, height: 104 };
const CENTRE = { x: 400, y: 392 };
const RADIUS = 334;
const SYMBOLS_IN_ORDER = "ABCDE";

function around(turns, radius) {
  const angle = (turns / 5) * 2 * Math.PI - Math.PI / 2;
  return { x: CENTRE.x + radius * Math.cos(angle), y: CENTRE.y + radius * Math.sin(angle) };
}

/** Where the single symbols are. */
export const CORNERS = Object.fromEntries([...SYMBOLS_IN_ORDER].map((symbol, turns) => [symbol, around(turns, RADIUS)]));

/** The middle of a pile: on its edge, or on its diagonal, moved out a little to leave room for the others. */
export function pilePlace(table) {
  const [one, two] = [...table].map((symbol) => SYMBOLS_IN_ORDER.indexOf(symbol));
  const apart = two - one;
  if (apart === 1 || apart === 4) return around(apart === 1 ? one + 0.5 : 4.5, RADIUS * 0.8);
  const between = apart === 2 ? one + 1 : two + 1;
  return around(between, RADIUS * 0.42);
}

/** The ten lines and the five corners. */
export function drawStar(tables) {
  const lines = tables.map((table) => {
    const [from, to] = [CORNERS[table[0]], CORNERS[table[1]]];
    return svg("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y, class: "star-line", "data-line": table });
  });
  const corners = Object.entries(CORNERS).map(([symbol, { x, y }]) =>
    svg(
      "g",
      { class: "corner", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, "data-symbol": symbol },
      svg("circle", { r: 33 }),
      svg("circle", { r: 27, class: "ring" }),
      svg("text", { y: 12, "text-anchor": "middle" }, symbol),
    ),
  );
  return [...lines, ...corners];
}

/** A hand card: the pentagram in small, with the card's own symbols lit; or its seat's colour if it is face down. */
export function drawHand(card, seat) {
  const drawn = svg(
    "svg",
    { viewBox: "0 0 40 40", class: `hand-card ${seatClass(seat)}${card ? "" : " down"}`, "aria-hidden": "true" },
    svg("rect", { x: 1, y: 1, width: 38, height: 38, rx: 6, class: "face" }),
  );
  if (!card) return drawn;
  const places = Object.fromEntries(
    Object.entries(CORNERS).map(([symbol, { x, y }]) => [
      symbol,
      { x: 20 + ((x - CENTRE.x) / RADIUS) * 14, y: 21 + ((y - CENTRE.y) / RADIUS) * 14 },
    ]),
  );
  const lit = [...card].map((symbol) => places[symbol]);
  drawn.append(svg("polygon", { points: lit.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "), class: "lit-area" }));
  for (const [symbol, { x, y }] of Object.entries(places)) {
    const has = card.includes(symbol);
    drawn.append(svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: has ? 3.6 : 1.5, class: has ? "lit" : "unlit" }));
  }
  return drawn;
}
