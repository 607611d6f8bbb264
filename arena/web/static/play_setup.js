// Choosing a table to play at: which game, who sits where, with what clock.

import { harmless } from "./dom.js";
import { send } from "./play_send.js";

const form = document.getElementById("setup");
const offers = JSON.parse(document.getElementById("offers").textContent);
const byId = (id) => document.getElementById(id);
const USUAL_SEATS = 4;

/** Who sits where, by the bots' keys; null is the person. */
let around = [];

const offer = () => offers.find((each) => each.name === form.elements.game.value);
const variant = () => offer().variants.find((each) => each.name === form.elements.variant.value);

function showGame() {
  const { option, variants, usual } = offer();
  byId("variant-name").textContent = option[0].toUpperCase() + option.slice(1);
  byId("variants").replaceChildren(...variants.map((each, place) => {
    const made = element("label", { class: "option" });
    const radio = element("input", { type: "radio", name: "variant", value: each.name });
    radio.checked = place === 0;
    const words = element("span", {}, element("strong", {}, each.name), " ", element("span", { class: "facts" }, each.meaning));
    made.append(radio, words);
    return made;
  }));
  around = [null, ...usual.slice(0, USUAL_SEATS - 1)];
  fitSeats();
}

/** As many seats as the variant allows, nearest to what there are. */
function fitSeats(wanted = around.length) {
  const [fewest, most] = variant().seats;
  const count = Math.min(most, Math.max(fewest, wanted));
  while (around.length > count) around.splice(around.findLastIndex((key) => key !== null), 1);
  const { usual } = offer();
  while (around.length < count) around.push(usual[(around.length - 1) % usual.length]);
  byId("seat-count").textContent = `${count} seats`;
  byId("fewer").disabled = count === fewest;
  byId("more").disabled = count === most;
  showSeats();
}

function showSeats() {
  byId("seats").replaceChildren(...around.map((key, seat) => {
    const row = element("li", { "data-seat": seat });
    row.append(...(key === null ? ownSeat(seat) : [botChoice(key, seat)]));
    return row;
  }));
}

function ownSeat(seat) {
  const move = (by, name, sign) => {
    const button = element("button", { type: "button", "aria-label": name }, sign);
    button.disabled = !(seat + by in around) || form.elements.anywhere.checked;
    button.addEventListener("click", () => {
      [around[seat], around[seat + by]] = [around[seat + by], around[seat]];
      showSeats();
      const again = byId("seats").querySelector(`[aria-label="${name}"]:enabled`) ?? byId("seats").querySelector("button:enabled");
      again?.focus();
    });
    return button;
  };
  const name = element("strong", { class: "you" }, form.elements.anywhere.checked ? "You, somewhere" : "You");
  return [name, move(-1, "Sit one seat earlier", "↑"), move(1, "Sit one seat later", "↓")];
}

function botChoice(key, seat) {
  const select = element("select", { "aria-label": `Who sits on seat ${seat + 1}` });
  for (const { kind, bots } of offer().bots) {
    const group = element("optgroup", { label: kind });
    group.append(...bots.map((bot) => element("option", { value: bot.key }, harmless(bot.label))));
    select.append(group);
  }
  select.value = key;
  select.addEventListener("change", () => { around[seat] = select.value; });
  return select;
}

function element(name, attributes = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

function wish() {
  const { name, seed, seconds, hints, anywhere } = form.elements;
  return {
    game: offer().name,
    options: variant().options,
    opponents: around.filter((key) => key !== null),
    seat: anywhere.checked ? null : around.indexOf(null),
    seconds: seconds.value ? Number(seconds.value) : null,
    hints: hints.checked,
    name: name.value.trim() || null,
    seed: seed.value || null,
  };
}

form.addEventListener("change", (event) => {
  if (event.target.name === "game") showGame();
  if (event.target.name === "variant") fitSeats();
  if (event.target.name === "anywhere") showSeats();
});
byId("fewer").addEventListener("click", () => fitSeats(around.length - 1));
byId("more").addEventListener("click", () => fitSeats(around.length + 1));
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  byId("go").disabled = true;
  byId("sorry").textContent = "";
  const { error, address } = await send("/play", wish());
  if (address) location.assign(address);
  else {
    byId("sorry").textContent = harmless(error);
    byId("go").disabled = false;
  }
});
addEventListener("pageshow", () => { byId("go").disabled = false; });

showGame();
form.hidden = false;
