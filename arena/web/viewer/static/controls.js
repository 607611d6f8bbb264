// The controls of a viewer: buttons, the scrubber, speed, point of view, keys, swipes, and the link to a position.

import { el, setAttribute, setText, svg } from "./dom.js";

const SPEEDS = [0.5, 1, 2, 4, 8];
const SWIPE = 40;
const SIGNS = {
  first: "M6 5v14M20 5 9 12l11 7z",
  back: "M17 5 6 12l11 7z",
  play: "M7 4l13 8-13 8z",
  pause: "M6 4h4.500v16H6zM13.500 4H18v16h-4.500z",
  next: "M7 5l11 7-11 7z",
  last: "M18 5v14M4 5l11 7-11 7z",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4.200 4.200 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4.200 4.200 0 0 0 6 6l1-1",
};

export class Controls {
  /** @param {import("./viewer.js").Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.playButton = button("play", "Play", () => viewer.toggle());
    this.scrubber = el("input", { type: "range", class: "scrubber", min: 0, value: 0, "aria-label": "Step" });
    this.scrubber.addEventListener("input", () => viewer.go(Number(this.scrubber.value)));
    this.count = el("span", { class: "step-count" });
    this.speed = choice("Speed", SPEEDS.map((speed) => [speed, `${speed}×`]), (value) => viewer.setSpeed(Number(value)));
    this.eyes = choice("Eyes", [], (value) => viewer.look(value === "" ? null : Number(value)));
    this.link = el("a", { class: "link", href: "#", title: "The address of this position" }, sign("link"), "Link");
    this.link.addEventListener("click", (event) => this.copy(event));
    this.link.hidden = !viewer.usesUrl; // no address leads to this position
    this.buttons = el(
      "div",
      { class: "buttons" },
      button("first", "First step", () => viewer.go(0)),
      button("back", "One step back", () => viewer.back()),
      this.playButton,
      button("next", "One step forward", () => viewer.next()),
      button("last", "Last step", () => viewer.go(viewer.last)),
    );
    this.element = el(
      "div",
      { class: "controls", role: "group", "aria-label": "Controls" },
      this.buttons,
      el("div", { class: "scrub" }, this.scrubber, this.count),
      el("div", { class: "settings" }, this.speed.element, this.eyes.element, this.link),
    );
  }

  /** Shows the current position. */
  mark() {
    const { viewer } = this;
    const word = viewer.playing ? "pause" : "play";
    if (this.playButton.dataset.sign !== word) {
      this.playButton.dataset.sign = word;
      this.playButton.replaceChildren(sign(word));
      const label = viewer.playing ? "Pause" : "Play";
      setAttribute(this.playButton, "aria-label", label);
      setAttribute(this.playButton, "title", `${label} (space)`);
    }
    setAttribute(this.scrubber, "max", viewer.last);
    this.scrubber.value = String(viewer.step);
    setAttribute(this.scrubber, "aria-valuetext", `${viewer.step} of ${viewer.last}`);
    setText(this.count, `${viewer.step}/${viewer.last}`);
    this.speed.select.value = String(viewer.speed);
    const known = viewer.eyes();
    if (this.eyes.select.options.length !== known.length) {
      this.eyes.select.replaceChildren(...known.map(([seat, name]) => el("option", { value: seat ?? "" }, name)));
    }
    this.eyes.select.value = String(viewer.seat ?? "");
    setAttribute(this.link, "href", viewer.address(viewer.step));
  }

  /** Copies the address if the browser allows it; otherwise the link works as usual. */
  async copy(event) {
    if (!navigator.clipboard) return;
    event.preventDefault();
    const address = new URL(this.link.getAttribute("href"), location.href).href;
    try {
      await navigator.clipboard.writeText(address);
      setText(this.link.lastChild, "Copied");
      setTimeout(() => setText(this.link.lastChild, "Link"), 1500);
    } catch {
      location.hash = this.link.hash;
    }
  }

  listen() {
    document.addEventListener("keydown", (event) => this.key(event), { signal: this.viewer.ends.signal });
    const { stage } = this.viewer;
    let start = null;
    stage.addEventListener("touchstart", (event) => {
      start = event.touches.length === 1 ? event.touches[0] : null;
    }, { passive: true });
    stage.addEventListener("touchend", (event) => {
      if (!start) return;
      const across = event.changedTouches[0].clientX - start.clientX;
      const down = event.changedTouches[0].clientY - start.clientY;
      start = null;
      if (Math.abs(across) < SWIPE || Math.abs(across) < 2 * Math.abs(down)) return;
      if (across < 0) this.viewer.next();
      else this.viewer.back();
    }, { passive: true });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const at = event.target instanceof Element ? event.target : null;
    if (at?.closest("select, textarea, [contenteditable], input:not([type=range])")) return;
    if (at?.closest("button, a, summary") && (event.key === " " || event.key === "Enter")) return;
    const { viewer } = this;
    const actions = {
      ArrowRight: () => viewer.next(),
      ArrowLeft: () => viewer.back(),
      Home: () => viewer.go(0),
      End: () => viewer.go(viewer.last),
      " ": () => viewer.toggle(),
      "+": () => this.faster(1),
      "-": () => this.faster(-1),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  faster(by) {
    const place = SPEEDS.indexOf(this.viewer.speed) + by;
    if (SPEEDS[place]) this.viewer.setSpeed(SPEEDS[place]);
  }
}

function sign(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: "sign", "aria-hidden": "true" }, svg("path", { d: SIGNS[name] }));
}

function button(name, label, onClick) {
  const made = el("button", { type: "button", class: `control ${name}`, "aria-label": label, title: label }, sign(name));
  made.addEventListener("click", onClick);
  return made;
}

function choice(label, options, onChange) {
  const select = el("select", {}, ...options.map(([value, name]) => el("option", { value }, name)));
  select.addEventListener("change", () => onChange(select.value));
  return { select, element: el("label", { class: "choice-of" }, el("span", {}, label), select) };
}
