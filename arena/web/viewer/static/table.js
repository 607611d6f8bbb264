// The table alone, without the controls of a viewer: for a live page, or for a player.
//
//     const table = new Table(element, film, { onChoose: (action) => … });
//     table.show(frame, { seat, choices, entry, out, scoring, duration });
//
// `film` is only asked for what does not change: game, seats, goal, colours. `frame` is what a game's frames.py makes, or what frameAt (film.js) takes out of a film. The options, all of which may be left out:
//     seat      through whose eyes: this seat sits at the bottom
//     choices   what can be chosen: [{ action: "steal 2", label: "Steal", hint: "41 %", best: true }], as in choices.js
//     entry     what led to this frame; with `duration` (in ms) it is shown as a movement
//     out       the seats that have forfeited
//     scoring   Tentagram: which step of the scoring is shown (scoring.js)
//     result    the film's result, once the game is over
//
// On a wide screen the table fills its stage, which is as high as --stage-height says. An element that has the class
// "stage" already, inside one of the class "viewer", is used as it is, with the height that the page gives it.

import { el } from "./dom.js";
import { MantisTable } from "./mantis.js";
import { PlainTable } from "./plain.js";
import { TentagramTable } from "./tentagram.js";

const TABLES = { mantis: MantisTable, tentagram: TentagramTable };

export class Table {
  /** @param {HTMLElement} element @param {import("./film.js").Film} film @param {{onChoose?: (action: string) => void}} [options] */
  constructor(element, film, { onChoose = null } = {}) {
    const isStage = element.classList.contains("stage");
    const stage = isStage ? element : el("div", { class: "stage" });
    if (!isStage) {
      element.classList.add("viewer");
      element.append(stage);
    }
    this.drawn = new (TABLES[film.game] ?? PlainTable)(stage, film, onChoose);
  }

  show(frame, options = {}) {
    this.drawn.show(frame, options);
  }
}
