// The choices as a list of buttons; the table shows the same choices.

import { harmless } from "./dom.js";

const percent = (share) => `${Math.round(100 * share)}\u202f%`;

export class Choices {
  /** @param {HTMLElement} place @param {(action: string) => void} choose @param {() => void} redraw */
  constructor(place, choose, redraw) {
    this.place = place;
    this.choose = choose;
    this.redraw = redraw;
    this.shown = "";
    /** Whether piles where the card does not fit are offered too. */
    this.withMisfits = false;
    /** Whether the last choice was made with the keyboard: then the next first choice gets the focus. */
    this.byKeyboard = false;
  }

  hint(choice) {
    return choice.odds === undefined ? "" : percent(choice.odds);
  }

  offered(turn) {
    return turn.choices.filter((choice) => this.withMisfits || choice.fits !== false);
  }

  /** The choices in the form that the table expects. */
  onTable(turn, busy) {
    return this.offered(turn).map((choice) => ({
      action: choice.action,
      label: choice.fits === undefined ? choice.short : `${choice.fits ? "Lay on" : "Misfit on"} ${choice.short}`,
      hint: this.hint(choice),
      best: choice.action === turn.hint,
      disabled: busy,
    }));
  }

  /** Shows the list, or that it is not the person's turn. */
  show(turn, busy) {
    const state = JSON.stringify([turn, busy, this.withMisfits]);
    if (state === this.shown) return;
    this.shown = state;
    const focused = this.place.contains(document.activeElement) ? document.activeElement.dataset.action : undefined;
    this.place.replaceChildren(...(turn ? this.rows(turn, busy) : [paragraph("Waiting for the others …", "facts waiting")]));
    if (!turn || busy || !(focused || (this.byKeyboard && document.activeElement === document.body))) return;
    const again = focused ? this.place.querySelector(`[data-action="${focused}"]`) : null;
    (again ?? this.place.querySelector("button[data-action]"))?.focus({ preventScroll: true });
  }

  rows(turn, busy) {
    const rows = this.offered(turn).map((choice, place) => this.row(choice, place, turn, busy));
    const list = document.createElement("div");
    list.className = "choice-list";
    list.append(...rows);
    const parts = [list];
    if (turn.choices.some((choice) => choice.fits === false)) parts.push(this.misfits());
    if (turn.hint) {
      const advised = turn.choices.find((choice) => choice.action === turn.hint);
      parts.unshift(paragraph(`counter would: ${harmless(advised?.label ?? turn.hint)}`, "advice"));
    }
    return parts;
  }

  row(choice, place, turn, busy) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.action = choice.action;
    button.disabled = busy;
    if (choice.action === turn.hint) button.dataset.best = "";
    const key = document.createElement("kbd");
    key.textContent = place < 10 ? String((place + 1) % 10) : "";
    const label = document.createElement("bdi");
    label.textContent = harmless(choice.label) + (choice.fits === false ? " (does not fit)" : "");
    const odds = document.createElement("span");
    odds.className = "odds-of";
    odds.textContent = choice.odds === undefined ? "" : `${this.hint(choice)} match`;
    button.append(key, label, odds);
    button.addEventListener("click", (event) => {
      this.byKeyboard = event.detail === 0;
      this.choose(choice.action);
    });
    return button;
  }

  /** Laying a card where it does not fit is legal but rarely good, so it is off by default. */
  misfits() {
    const label = document.createElement("label");
    label.className = "check facts";
    const box = document.createElement("input");
    box.type = "checkbox";
    box.id = "misfits";
    box.checked = this.withMisfits;
    box.addEventListener("change", () => {
      this.withMisfits = box.checked;
      this.redraw();
      document.getElementById("misfits")?.focus();
    });
    label.append(box, " also piles where the card does not fit");
    return label;
  }

  /** Makes a choice by its number. */
  press(place) {
    const button = this.place.querySelectorAll("button[data-action]")[place];
    if (button && !button.disabled) button.click();
  }
}

function paragraph(text, name) {
  const made = document.createElement("p");
  made.className = name;
  made.textContent = text;
  return made;
}
