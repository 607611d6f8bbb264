// Draws the cards of Mantis. Every colour has its own letter and shape, so that colour is not needed.

import { svg } from "./dom.js";

export const SHAPE_OF = {
  R: "M12 2.5a9.5 9.5 0 1 0 .01 0z",
  O: "M12 2.5 22.5 21h-21z",
  Y: "m12 1.5 3.1 6.9 7.4.8-5.5 5 1.6 7.3L12 17.8l-6.6 3.7L7 14.2l-5.5-5 7.4-.8z",
  G: "M3.5 3.5h17v17h-17z",
  B: "M12 1.5c4.6 5.8 7.5 9.6 7.5 13.2a7.5 7.5 0 0 1-15 0C4.500 11.100 7.400 7.300 12 1.5z",
  P: "M12 1 20.500 12 12 23 3.500 12z",
  K: "M12 21.5C5 16 2 12.500 2 8.500a5 5 0 0 1 10-2 5 5 0 0 1 10 2c0 4-3 7.500-10 13z",
};
const ICONS = {
  again: "M19 12a7 7 0 1 1-2.200-5.100M19 3v5h-5",
  pilfer: "M5 21v-9c0-4 1-6 3-8M12 21V9c0-3 0-4-.5-6.500M19 21v-9c0-4-1-6-3-8",
  bank: "M12 3v10M8 9.500l4 4 4-4M4 14v6.500h16V14",
};
export const ICON_NAMES = { again: "another turn", pilfer: "pilfer", bank: "bank" };

/** An icon's drawing, in a box of 24 by 24. */
export function iconPath(icon) {
  return svg("path", { d: ICONS[icon], class: "icon" });
}

/** A card face up. @param {string} front its notation, `G` or `R+bank` */
export function drawFront(front) {
  const [letter, icon] = front.split("+");
  const card = svg(
    "svg",
    { viewBox: "0 0 50 70", class: `card m${letter}`, "aria-hidden": "true" },
    svg("rect", { x: 1, y: 1, width: 48, height: 68, rx: 7, class: "face" }),
    svg("path", { d: SHAPE_OF[letter], class: "shape", transform: "translate(7 19) scale(1.5)" }),
    svg("text", { x: 8, y: 18, class: "letter" }, letter),
  );
  if (icon) {
    card.append(
      svg("circle", { cx: 37, cy: 13, r: 9.5, class: "icon-ground" }),
      svg("g", { transform: "translate(28 4) scale(.75)" }, iconPath(icon)),
    );
  }
  return card;
}

/** A card face down: the three colours of its back. @param {string} back its notation, `ROY` */
export function drawBack(back) {
  const card = svg(
    "svg",
    { viewBox: "0 0 50 70", class: "card back", "aria-hidden": "true" },
    svg("rect", { x: 1, y: 1, width: 48, height: 68, rx: 7, class: "face" }),
  );
  [...back].forEach((letter, place) => {
    const y = 4 + 21 * place;
    card.append(
      svg(
        "g",
        { class: `m${letter}` },
        svg("rect", { x: 4, y, width: 42, height: 20, rx: 4, class: "band" }),
        svg("path", { d: SHAPE_OF[letter], class: "shape", transform: `translate(25 ${y + 2}) scale(.66)` }),
        svg("text", { x: 9, y: y + 15, class: "letter" }, letter),
      ),
    );
  });
  return card;
}

/** The empty place of a colour in a tank. */
export function drawPlace(letter) {
  return svg(
    "svg",
    { viewBox: "0 0 50 70", class: "card slot-mark", "aria-hidden": "true" },
    svg("rect", { x: 1.5, y: 1.5, width: 47, height: 67, rx: 7 }),
    svg("path", { d: SHAPE_OF[letter], transform: "translate(13 23)" }),
  );
}

/** The colour's letter and shape on the colour, for a row of the odds. */
export function drawChip(letter) {
  return svg(
    "svg",
    { viewBox: "0 0 44 24", class: `chip m${letter}`, "aria-hidden": "true" },
    svg("rect", { width: 44, height: 24, rx: 5, class: "band" }),
    svg("text", { x: 6, y: 18, class: "letter" }, letter),
    svg("path", { d: SHAPE_OF[letter], class: "shape", transform: "translate(22 3) scale(.75)" }),
  );
}
