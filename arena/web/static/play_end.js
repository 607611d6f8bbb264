// The result of the match.

import { harmless } from "./dom.js";

const byId = (id) => document.getElementById(id);

export function showEnd(end) {
  const isNew = byId("end").hidden;
  byId("end").hidden = false;
  byId("end").classList.toggle("won", end.won);
  byId("headline").textContent = harmless(end.headline);
  byId("why").textContent = end.why;
  byId("places").replaceChildren(...end.places.map((each) => {
    const row = document.createElement("li");
    row.value = each.place;
    row.dataset.seat = String(each.seat);
    if (each.own) row.className = "own";
    const name = document.createElement("bdi");
    name.textContent = harmless(each.name);
    const detail = document.createElement("span");
    detail.className = "facts";
    detail.textContent = ` ${each.detail}`;
    row.append(name, detail);
    return row;
  }));
  const stored = byId("stored");
  stored.hidden = !end.stored;
  if (end.stored) stored.href = `/matches/${encodeURIComponent(end.stored)}`;
  byId("not-stored").hidden = !end.why_not;
  byId("not-stored").textContent = end.why_not;
  if (isNew) byId("headline").focus();
}
