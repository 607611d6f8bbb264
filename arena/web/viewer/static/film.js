// A film in the browser: the table at each step, without what a seat could not know.
//
// Steps: 0 is the deal, step k the table after k lines of the replay. In a finished game of Tentagram the scoring
// follows as further steps (scoring.js).

import { scoringSteps } from "./scoring.js";

/**
 * @typedef {{seat: number, do?: string, ms?: number, house?: boolean, fault?: string, why?: string, detail?: string,
 *   flip?: string, into?: number, moved?: number, to?: "tank" | "score", icon?: string, text?: string}} Entry
 * @typedef {{turn: number | null, tanks: number[][], scores: number[], pile: number, top: string | null,
 *   odds: number[], pilfering?: boolean, next?: string}} MantisFrame
 * @typedef {{turn: number | null, laid: [number, string, string | null][], hands: (string | null)[], left: number[],
 *   to_come: (string[] | null)[]}} TentagramFrame
 * @typedef {{turn: number | null, lines: Record<string, string[]>}} PlainFrame
 * @typedef {{match: string, game: string, options: Record<string, string>, seats: string[],
 *   seat: number | null, same_view?: boolean, goal?: number, colours?: string, frames?: (MantisFrame | PlainFrame)[], decks?: string[][],
 *   entries: Entry[], result: any, seed?: string}} Film
 */

const SYMBOLS = "ABCDE";
export const TABLE_CARDS = [...SYMBOLS].flatMap((one, index) => [...SYMBOLS.slice(index + 1)].map((two) => one + two));
const DECK = cardsOfRank(3).concat(cardsOfRank(4), cardsOfRank(5));

function cardsOfRank(rank, from = 0) {
  if (rank === 0) return [""];
  const cards = [];
  for (let index = from; index <= SYMBOLS.length - rank; index += 1) {
    for (const rest of cardsOfRank(rank - 1, index + 1)) cards.push(SYMBOLS[index] + rest);
  }
  return cards;
}

/** Whether the card has both symbols of the table card. */
export function fits(card, table) {
  return card.includes(table[0]) && card.includes(table[1]);
}

/** The number of the last step. @param {Film} film */
export function lastStep(film) {
  return film.entries.length + scoringSteps(film).length;
}

/** What of the scoring is shown at the step; null before it. @param {Film} film */
export function scoringAt(film, step) {
  return scoringSteps(film)[step - film.entries.length - 1] ?? null;
}

/**
 * The table at a step, as the seat may know it, or with everything that is in the film.
 * @param {Film} film
 * @param {number} step
 * @param {number | null} seat
 */
export function frameAt(film, step, seat = null) {
  const lines = Math.min(step, film.entries.length);
  if (film.frames) {
    const frame = film.frames[lines];
    return seat === null ? frame : { ...frame, next: undefined, lines: frame.lines && { [seat]: frame.lines[seat] } };
  }
  const revealed = film.result !== null && lines === film.entries.length;
  return tentagramFrame(film, lines, revealed ? null : seat);
}

/** The card that the step's entry laid; null if the seat may not know it. */
export function laidCard(film, step, seat = null) {
  const { seat: whose } = film.entries[step - 1];
  const revealed = film.result !== null && step === film.entries.length;
  if (seat !== null && seat !== whose && !revealed) return null;
  const before = film.entries.slice(0, step - 1).filter((entry) => entry.seat === whose && !entry.fault);
  return film.decks[whose][before.length] ?? null;
}

/** The seats that have forfeited by this step. @param {Film} film */
export function forfeitedAt(film, step) {
  return film.entries.slice(0, step).filter((entry) => entry.fault).map((entry) => entry.seat);
}

/** @returns {TentagramFrame} */
function tentagramFrame(film, lines, seat) {
  const count = film.seats.length;
  const counts = Array(count).fill(0);
  const known = (whose, place) => (seat === null || seat === whose ? film.decks[whose][place] ?? null : null);
  const laid = [];
  for (const entry of film.entries.slice(0, lines)) {
    if (entry.fault) continue;
    laid.push([entry.seat, entry.do, known(entry.seat, counts[entry.seat])]);
    counts[entry.seat] += 1;
  }
  const total = laid.length;
  const over = total === count * DECK.length || (film.result !== null && lines === film.entries.length);
  return {
    turn: over ? null : total % count,
    laid,
    hands: counts.map((place, whose) => known(whose, place)),
    left: counts.map((place) => DECK.length - place),
    to_come: counts.map((place, whose) => toCome(film.decks[whose], place, known(whose, place) !== null)),
  };
}

/** The cards still to be drawn, sorted, so that their order reveals nothing; null if they are not known. */
function toCome(deck, place, isKnown) {
  if (!isKnown) return null;
  const gone = new Set(deck.slice(0, place + 1));
  return DECK.filter((card) => !gone.has(card));
}

/** Adds what a FilmMaker has sent to a film; entries that the film already has are ignored. @param {Film} film */
export function extendFilm(film, more) {
  if (more.start > film.entries.length) {
    throw new Error(`the film has ${film.entries.length} entries, but what was added begins at ${more.start}`);
  }
  film.entries.splice(more.start, more.entries.length, ...more.entries);
  if (more.frames) film.frames.splice(more.start + 1, more.frames.length, ...more.frames);
  for (const key of ["decks", "result", "seed"]) {
    if (more[key] !== undefined) film[key] = more[key];
  }
}
