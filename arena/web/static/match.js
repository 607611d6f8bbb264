// A match on record: fetches the film and shows it; the chances follow when they have been worked out. Who looks through
// a seat's eyes gets the chances by what that seat knew; in Mantis all seats know the same.
import { Viewer } from "./viewer.js";

const place = document.querySelector("#viewer");

/** @param {string} address */
async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response.json();
}

/** What went wrong, in a sentence below what is there. @param {string} sentence */
function say(sentence) {
  const said = document.createElement("p");
  said.className = "note";
  said.textContent = sentence;
  place.after(said);
}

/** @param {Viewer} viewer @param {object} film */
function followEyes(viewer, film) {
  let shown;
  const follow = async (seat) => {
    if (seat === shown) return;
    shown = seat;
    const known = film.game === "mantis" || seat === null ? "" : `&seat=${seat}`;
    try {
      const chances = await fetched(place.dataset.chances + known);
      if (seat === shown) viewer.setChances(chances);
    } catch (error) {
      say(`The chances could not be worked out: ${error.message}. Load the page again.`);
    }
  };
  place.addEventListener("viewer:step", (event) => follow(event.detail.seat));
  return follow(viewer.seat);
}

try {
  const film = await fetched(place.dataset.film);
  place.replaceChildren();
  followEyes(new Viewer(place, film), film);
} catch (error) {
  say(`The match could not be loaded: ${error.message}. Load the page again.`);
}
