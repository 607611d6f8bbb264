// A stored match: fetches the film and shows it, then the win chances. With the view of one seat, the chances use what
// that seat knew; in Mantis all seats know the same.
import { Viewer } from "./viewer.js";

const place = document.querySelector("#viewer");

/** @param {string} address */
async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response.json();
}

/** Shows an error below the viewer. @param {string} sentence */
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
    const known = film.same_view || seat === null ? "" : `&seat=${seat}`;
    try {
      const chances = await fetched(place.dataset.chances + known);
      if (seat === shown) viewer.setChances(chances);
    } catch (error) {
      say(`The win chances could not be loaded: ${error.message}. Reload the page.`);
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
  say(`The match could not be loaded: ${error.message}. Reload the page.`);
}
