// The form for a new match: game, options, opponents by seat, time limit.

import { harmless } from "./dom.js";
import { send } from "./play_send.js";

const form = document.getElementById("setup");
const offers = JSON.parse(document.getElementById("offers").textContent);
const byId = (id) => document.getElementById(id);
const DEFAULT_SEATS = 4;

/** The players by seat: keys of bots; null is the person. */
let players = [];

const offer = () => offers.find((each) => each.name === form.elements.game.value);
const chosen = (option) => form.elements[`option-${option.name}`].value;

function showGame() {
  const { options, defaults } = offer();
  byId("options").replaceChildren(...options.map(optionChoice));
  players = [null, ...defaults.slice(0, DEFAULT_SEATS - 1)];
  fitSeats();
}

function optionChoice({ name, values }) {
  const made = element("fieldset", {}, element("legend", {}, name[0].toUpperCase() + name.slice(1)));
  made.append(...values.map((value, place) => {
    const radio = element("input", { type: "radio", name: `option-${name}`, value: value.name });
    radio.checked = place === 0;
    const words = element("span", {}, element("strong", {}, value.name), " ", element("span", { class: "facts" }, value.meaning));
    return element("label", { class: "option" }, radio, words);
  }));
  return made;
}

/** Sets the number of seats, within the limits of the chosen options. */
function fitSeats(wanted = players.length) {
  const { options, seats, defaults } = offer();
  const [fewest, most] = seats[options.map(chosen).join(",")];
  const count = Math.min(most, Math.max(fewest, wanted));
  while (players.length > count) players.splice(players.findLastIndex((key) => key !== null), 1);
  while (players.length < count) players.push(defaults[(players.length - 1) % defaults.length]);
  byId("seat-count").textContent = `${count} seats`;
  byId("fewer").disabled = count === fewest;
  byId("more").disabled = count === most;
  showSeats();
}

function showSeats() {
  byId("seats").replaceChildren(...players.map((key, seat) => {
    const row = element("li", { "data-seat": seat });
    row.append(...(key === null ? ownSeat(seat) : [botChoice(key, seat)]));
    return row;
  }));
}

function ownSeat(seat) {
  const move = (by, name, sign) => {
    const button = element("button", { type: "button", "aria-label": name }, sign);
    button.disabled = !(seat + by in players) || form.elements.random_seat.checked;
    button.addEventListener("click", () => {
      [players[seat], players[seat + by]] = [players[seat + by], players[seat]];
      showSeats();
      const again = byId("seats").querySelector(`[aria-label="${name}"]:enabled`) ?? byId("seats").querySelector("button:enabled");
      again?.focus();
    });
    return button;
  };
  const name = element("strong", { class: "you" }, form.elements.random_seat.checked ? "You, on a random seat" : "You");
  return [name, move(-1, "One seat earlier", "↑"), move(1, "One seat later", "↓")];
}

function botChoice(key, seat) {
  const select = element("select", { "aria-label": `Player on seat ${seat + 1}` });
  for (const { origin, bots } of offer().bots) {
    const group = element("optgroup", { label: origin });
    group.append(...bots.map((bot) => element("option", { value: bot.key }, harmless(bot.label))));
    select.append(group);
  }
  select.value = key;
  select.addEventListener("change", () => { players[seat] = select.value; });
  return select;
}

function element(name, attributes = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

function request() {
  const { name, seed, seconds, hints, random_seat } = form.elements;
  return {
    game: offer().name,
    options: Object.fromEntries(offer().options.map((option) => [option.name, chosen(option)])),
    opponents: players.filter((key) => key !== null),
    seat: random_seat.checked ? null : players.indexOf(null),
    seconds: seconds.value ? Number(seconds.value) : null,
    hints: hints.checked,
    name: name.value.trim() || null,
    seed: seed.value || null,
  };
}

form.addEventListener("change", (event) => {
  if (event.target.name === "game") showGame();
  if (event.target.name.startsWith("option-")) fitSeats();
  if (event.target.name === "random_seat") showSeats();
});
byId("fewer").addEventListener("click", () => fitSeats(players.length - 1));
byId("more").addEventListener("click", () => fitSeats(players.length + 1));
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  byId("go").disabled = true;
  byId("error").textContent = "";
  const { error, address } = await send("/play", request());
  if (address) location.assign(address);
  else {
    byId("error").textContent = harmless(error);
    byId("go").disabled = false;
  }
});
addEventListener("pageshow", () => { byId("go").disabled = false; });

showGame();
form.hidden = false;
