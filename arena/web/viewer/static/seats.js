// The sign of a seat in every game: its number in its own shape. The colour is redundant.

import { harmless, isolated, svg } from "./dom.js";

const SHAPES = [
  "M12 1.5a10.5 10.5 0 1 0 .01 0z",
  "M2.5 2.5h19v19h-19z",
  "M12 .5 23.8 22H.2z",
  "M12 0 24 12 12 24 0 12z",
  "M6.2 2h11.6L23.6 12 17.8 22H6.2L.4 12z",
  "M7.5 1h9v6.5H23v9h-6.5V23h-9v-6.5H1v-9h6.5z",
  "M2.5 1.5h19V13c0 5-5.5 8.5-9.5 10-4-1.5-9.5-5-9.5-10z",
  "M12 .5 23 9l-4.2 13.5H5.2L1 9z",
];
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "5 5", "12 3", "1 4", "4 2 1 2"];

/** The class that gives an element the seat's colour, as --c. Seats from 8 on are drawn hollow. */
export function seatClass(seat) {
  return `s${seat % 8}${seat >= 8 ? " hollow" : ""}`;
}

/** The dashes of the seat's line in a plot. */
export function dashes(seat) {
  return DASHES[(seat + (seat >= 8 ? 3 : 0)) % 8];
}

/** The seat's shape alone, in a box of 24 by 24. */
export function shapePath(seat) {
  return svg("path", { d: SHAPES[seat % 8], class: "seat-shape" });
}

/** The seat's number in its shape. */
export function marker(seat) {
  const low = seat % 8 === 2 ? 18.6 : 16.6;
  return svg(
    "svg",
    { viewBox: "0 0 24 24", class: `marker ${seatClass(seat)}`, "aria-hidden": "true" },
    shapePath(seat),
    svg("text", { x: 12, y: low, "text-anchor": "middle" }, String(seat)),
  );
}

/** `seat 2 greedy`, for a sentence. */
export function seatName(film, seat) {
  return `seat ${seat} ${isolated(film.seats[seat])}`;
}

/** The bot's name by itself. */
export function botName(film, seat) {
  return harmless(film.seats[seat]);
}
