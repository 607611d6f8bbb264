// Matches in a page about something else, such as a leaderboard: one viewer shows the chosen match.

import { Viewer } from "./viewer.js";

const shown = JSON.parse(document.getElementById("viewer-data").textContent);
const room = document.getElementById("viewer");
const buttons = [...document.querySelectorAll("[data-film]")];
let current = null;

for (const button of buttons) {
  button.disabled = false;
  button.addEventListener("click", () => {
    const { film, chances } = shown[Number(button.dataset.film)];
    current?.close();
    current = new Viewer(room, film, { chances, url: false, heading: "h3" });
    for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
    room.hidden = false;
    room.scrollIntoView({ block: "nearest" });
  });
}
