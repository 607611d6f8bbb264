// The legal choices of a player, as buttons on the table.

import { el, setAttribute, setText } from "./dom.js";

/**
 * @typedef {{action: string, label: string, hint?: string, best?: boolean, disabled?: boolean}} Choice
 * `hint` stands beside the label, such as `41 %`; `best` marks the choice that the hints favour.
 */

export class ChoiceButtons {
  /** @param {((action: string) => void) | null} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    /** @type {Map<string, HTMLElement>} */
    this.buttons = new Map();
  }

  /** Shows these choices and no others. @param {Choice[]} choices @param {(action: string) => HTMLElement} placeOf */
  show(choices, placeOf) {
    const wanted = new Set(choices.map((choice) => choice.action));
    for (const [action, button] of this.buttons) {
      if (!wanted.has(action)) {
        button.remove();
        this.buttons.delete(action);
      }
    }
    for (const choice of choices) {
      const button = this.buttons.get(choice.action) ?? this.make(choice.action);
      setText(button.querySelector(".choice-label"), choice.label);
      setText(button.querySelector(".choice-hint"), choice.hint ?? "");
      setAttribute(button, "data-best", Boolean(choice.best));
      setAttribute(button, "disabled", Boolean(choice.disabled));
      const place = placeOf(choice.action);
      if (button.parentElement !== place) place.append(button);
    }
  }

  make(action) {
    const button = el(
      "button",
      { type: "button", class: "choice", "data-action": action },
      el("span", { class: "choice-label" }),
      el("span", { class: "choice-hint" }),
    );
    button.addEventListener("click", () => this.onChoose?.(action));
    this.buttons.set(action, button);
    return button;
  }
}
