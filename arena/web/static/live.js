// Keeps parts of a page up to date: an element with data-follow names an event stream; the elements with data-part in it
// are filled by the events of that name. The markup comes from our templates, which escape all untrusted text.

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Returns the positions of the table rows by key. @param {Element} part */
function places(part) {
  const found = new Map();
  for (const row of part.querySelectorAll("tr[data-key]")) found.set(row.dataset.key, row.getBoundingClientRect().top);
  return found;
}

/** Animates rows that changed their position. @param {Element} part @param {Map<string, number>} before */
function move(part, before) {
  if (calm.matches) return;
  for (const row of part.querySelectorAll("tr[data-key]")) {
    const from = before.get(row.dataset.key);
    if (from === undefined) continue;
    const way = from - row.getBoundingClientRect().top;
    if (Math.abs(way) > 1) {
      row.animate([{ transform: `translateY(${way}px)` }, { transform: "none" }], { duration: 600, easing: "ease-out" });
    }
  }
}

/** Replaces a part of the page. @param {Element} part @param {string} markup */
function replace(part, markup) {
  if (part.markup === markup) return;
  part.markup = markup;
  const before = places(part);
  const scrolled = part.querySelector(".scroll")?.scrollLeft ?? 0;
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  const template = document.createElement("template");
  template.innerHTML = markup;
  part.replaceChildren(template.content);
  const scroll = part.querySelector(".scroll");
  if (scroll) scroll.scrollLeft = scrolled;
  if (focused) {
    const address = focused.getAttribute("href");
    const again = address ? part.querySelector(`[href="${CSS.escape(address)}"]`) : scroll;
    again?.focus({ preventScroll: true });
  }
  move(part, before);
}

/** Keeps the parts in the element up to date. @param {HTMLElement} followed @param {string} address */
export function follow(followed, address) {
  const stream = new EventSource(address);
  for (const part of followed.querySelectorAll("[data-part]")) {
    stream.addEventListener(part.dataset.part, (event) => replace(part, JSON.parse(event.data)));
  }
  stream.addEventListener("open", () => followed.setAttribute("data-connected", ""));
  stream.addEventListener("error", () => followed.removeAttribute("data-connected"));
  addEventListener("pagehide", () => stream.close());
  return stream;
}

for (const followed of document.querySelectorAll("[data-follow]")) follow(followed, followed.dataset.follow);
