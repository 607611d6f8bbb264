// The end of a game of Tentagram, step by step: each pile is checked, counted and awarded, then the totals are compared.

/**
 * @typedef {{pile: any, phase: "check" | "count" | "award" | "total", done: any[]}} Scoring
 * `pile` is the one that is being scored (null at the totals), `done` those that were awarded before.
 */

/** @type {WeakMap<object, Scoring[]>} */
const MADE = new WeakMap();
const NONE = [];

/** The steps of the scoring; none for other games, and none before the end. */
export function scoringSteps(film) {
  const piles = film.result?.piles;
  if (!piles) return NONE;
  if (!MADE.has(film.result)) MADE.set(film.result, [...stepsOf(piles)]);
  return MADE.get(film.result);
}

function* stepsOf(piles) {
  const done = [];
  for (const pile of piles) {
    if (!pile.counted.length && !pile.aside.length) continue;
    if (pile.aside.length) yield { pile, phase: "check", done: [...done] };
    yield { pile, phase: "count", done: [...done] };
    done.push(pile);
    yield { pile, phase: "award", done: [...done] };
  }
  yield { pile: null, phase: "total", done: [...done] };
}

/** How many counted cards each seat has in the pile: a map from seat to count. */
export function countsOf(pile) {
  const counts = new Map();
  for (const card of pile.counted) {
    const seat = Number.parseInt(card, 10);
    counts.set(seat, (counts.get(seat) ?? 0) + 1);
  }
  return counts;
}

/** The counts that more than one seat has, which do not score. */
export function sharedCounts(counts) {
  const all = [...counts];
  return new Set(all.filter((count, place) => all.indexOf(count) !== place));
}

/** How many cards each seat has won in these piles. */
export function wonIn(piles, seats) {
  const won = Array(seats).fill(0);
  for (const pile of piles) if (pile.winner !== null) won[pile.winner] += pile.taken;
  return won;
}
