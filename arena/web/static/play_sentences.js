// Moves in sentences addressed to the person who plays.

import { isolated } from "./dom.js";
import { COLOUR_NAMES, cardCount, sentence } from "./words.js";

const EFFECTS = {
  again: "The icon gives you another turn.",
  pilfer: "The icon lets you take a card from a score pile.",
  bank: "The icon sends them straight to your score pile.",
};

/** @param {import("./film.js").Film} film */
export function sentenceFor(film, step, seat) {
  const entry = film.entries[step - 1];
  if (!entry || entry.seat !== seat) return sentence(film, step, seat);
  if (entry.fault) return `You forfeited: ${isolated(entry.detail)}`;
  if (entry.house) return sentence(film, step, seat);
  if (entry.text !== undefined) return sentence(film, step, seat);
  if (film.decks) {
    const laid = film.entries.slice(0, step - 1).filter((each) => each.seat === seat && !each.fault).length;
    return `You lay ${film.decks[seat][laid]} on ${entry.do}.`;
  }
  const [kind, target] = entry.do.split(" ");
  const whom = target === undefined ? "" : isolated(film.seats[Number(target)]);
  if (kind === "pilfer") return `You take a card from the score pile of ${whom}.`;
  const flipped = `${kind === "score" ? "You score" : `You steal from ${whom}`}: ${COLOUR_NAMES[entry.flip[0]]}`;
  if (!entry.moved) return `${flipped}, no match. The card stays in ${kind === "score" ? "your" : "their"} tank.`;
  const where = entry.to === "score" ? "your score pile" : "your tank";
  return `${flipped}, a match! ${cardCount(entry.moved)} to ${where}.${entry.icon ? ` ${EFFECTS[entry.icon]}` : ""}`;
}
