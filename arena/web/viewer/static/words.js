// What happens, in sentences: for the list of moves and for the live region that screen readers use.

import { fits, laidCard, scoringAt } from "./film.js";
import { countsOf, sharedCounts } from "./scoring.js";
import { harmless, isolated } from "./dom.js";
import { seatName } from "./seats.js";

export const COLOUR_NAMES = { R: "red", O: "orange", Y: "yellow", G: "green", B: "blue", P: "purple", K: "pink" };
const EFFECTS = {
  again: "the icon gives another turn",
  pilfer: "the icon lets it take a card from a score pile",
  bank: "the icon sends them straight to the score pile",
};

const OPENINGS = { mantis: "The tanks are dealt.", tentagram: "Every seat has drawn its first card." };
const SENTENCES = { mantis: mantisSentence, tentagram: laidSentence };

/** `1 card`, `3 cards`. */
export function cardCount(count) {
  return count === 1 ? "1 card" : `${count} cards`;
}

/** A think time: `0.4 ms`, `84 ms`, `1.2 s`. */
export function thinkTime(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms >= 10 ? Math.round(ms) : Number(ms.toFixed(1))} ms`;
}

/** A chance: `41 %`. */
export function percent(share) {
  return `${Math.round(100 * share)}\u202f%`;
}

/** A sentence about the step, with no more than the seat may know. */
export function sentence(film, step, seat = null) {
  if (step === 0) return OPENINGS[film.game] ?? "The cards are dealt.";
  const scoring = scoringAt(film, step);
  if (scoring) return scoringSentence(film, scoring);
  const entry = film.entries[step - 1];
  const who = capital(seatName(film, entry.seat));
  if (entry.fault) return `${who} forfeits: it ${entry.why} (${entry.fault}). ${isolated(entry.detail)}`;
  const said = SENTENCES[film.game]?.(film, step, entry, who, seat) ?? harmless(entry.text ?? `${who}: ${entry.do}`);
  return entry.house ? `${said} Played by the house.` : said;
}

function mantisSentence(film, step, entry, who) {
  const [kind, target] = entry.do.split(" ");
  if (kind === "pilfer") return `${who} pilfers a card from the score pile of ${seatName(film, Number(target))}.`;
  const how = kind === "score" ? "scores" : `steals from ${seatName(film, Number(target))}`;
  const flipped = `${who} ${how}: flips ${COLOUR_NAMES[entry.flip[0]]}`;
  if (!entry.moved) return `${flipped}, no match; the card stays in ${kind === "score" ? "its own" : "the other's"} tank.`;
  const where = entry.to === "score" ? "score pile" : "tank";
  const effect = entry.icon ? `; ${EFFECTS[entry.icon]}` : "";
  return `${flipped}, a match: ${cardCount(entry.moved)} to its ${where}${effect}.`;
}

function laidSentence(film, step, entry, who, seat) {
  const card = laidCard(film, step, seat);
  if (!card) return `${who} lays a card face down on ${entry.do}.`;
  return `${who} lays ${card} on ${entry.do}${fits(card, entry.do) ? "" : ", where it does not fit"}.`;
}

function scoringSentence(film, { pile, phase }) {
  if (phase === "total") return resultSentence(film);
  if (phase === "check") {
    const one = pile.aside.length === 1;
    return `Pile ${pile.table}: ${cardCount(pile.aside.length)} ${one ? "does not fit and is" : "do not fit and are"} set aside.`;
  }
  if (phase === "award") {
    if (pile.winner === null) return `Pile ${pile.table} goes to nobody.`;
    return `Pile ${pile.table} goes to ${seatName(film, pile.winner)}: ${cardCount(pile.taken)}.`;
  }
  const counts = countsOf(pile);
  if (!counts.size) return `Pile ${pile.table}: no card counts.`;
  const shared = sharedCounts(counts.values());
  const said = [...counts].sort((one, other) => other[1] - one[1]).map(([seat, count]) => `seat ${seat} has ${count}`);
  const out = [...shared].sort((one, other) => other - one);
  return `Pile ${pile.table}: ${listed(said)}${out.length ? `; whoever shares ${listed(out.map(String))} is out` : ""}.`;
}

/** Who won, and how the game ended. */
export function resultSentence(film) {
  const { winners, ending } = film.result;
  const won = winners.length ? `Won by ${listed(winners.map((seat) => seatName(film, seat)))}` : "Nobody won";
  return `${won}: ${ending}.`;
}

/** The seats by place: [[place, seat], …]. */
export function places(film) {
  return film.result.placements.map((place, seat) => [place, seat]).sort((one, other) => one[0] - other[0] || one[1] - other[1]);
}

/** `a, b and c`. */
export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
