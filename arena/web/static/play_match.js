// A match with a person. The server sends the match as the person's seat sees it (film, more) and its state (now). The
// moves of the others are shown one after the other; then the person can choose.

import { harmless, reducedMotion } from "./dom.js";
import { extendFilm, forfeitedAt, frameAt, lastStep, scoringAt } from "./film.js";
import { Table } from "./table.js";
import { Choices } from "./play_choices.js";
import { Clock } from "./play_clock.js";
import { showEnd } from "./play_end.js";
import { send } from "./play_send.js";
import { sentenceFor } from "./play_sentences.js";

const byId = (id) => document.getElementById(id);
const here = `/play/${byId("game").dataset.game}`;
const MAX_REPLAYED_ENTRIES = 12;
const SCORING_PACE = 0.8;

class Game {
  constructor() {
    this.film = null;
    this.table = null;
    this.now = null;
    /** The number of steps of the film that are shown. */
    this.step = 0;
    this.timer = null;
    this.busy = false;
    this.choices = new Choices(byId("choices"), (action) => this.choose(action), () => this.draw());
    this.clock = new Clock(byId("clock"), byId("seconds"), byId("time"));
  }

  get seat() {
    return this.film.seat;
  }

  /** The number of steps still to be shown. */
  get behind() {
    return this.film ? lastStep(this.film) - this.step : 0;
  }

  get pace() {
    return reducedMotion() ? 0 : Number(byId("pace").value);
  }

  takeFilm(film) {
    film.seats[film.seat] = "You";
    const isFirst = this.film === null;
    if (isFirst) {
      this.film = film;
      this.table = new Table(byId("table"), film, { onChoose: (action) => this.choose(action) });
      const isFresh = film.entries.length <= MAX_REPLAYED_ENTRIES && !film.entries.some((entry) => entry.seat === film.seat);
      this.step = isFresh ? 0 : lastStep(film);
      this.list(0, this.step);
    } else {
      Object.assign(this.film, film);
      this.step = Math.min(this.step, lastStep(this.film));
    }
    this.draw();
    this.showNext();
  }

  takeMore(more) {
    if (!this.film || more.start > this.film.entries.length) return; // the whole film follows
    extendFilm(this.film, more);
    this.showNext();
  }

  takeNow(now) {
    if (now.turn?.decision !== this.now?.turn?.decision) this.busy = false;
    this.now = now;
    this.clock.set(now.turn);
    this.draw();
    this.showNext();
  }

  /** Shows the next step, then waits for the pace. */
  showNext() {
    if (this.timer !== null || !this.behind) return;
    if (!this.pace) {
      this.catchUp();
      return;
    }
    this.step += 1;
    this.list(this.step, this.step);
    const duration = this.pace * (scoringAt(this.film, this.step) ? SCORING_PACE : 1);
    this.draw(duration * 0.85);
    this.timer = setTimeout(() => {
      this.timer = null;
      if (this.behind) this.showNext();
      else this.draw();
    }, duration);
  }

  catchUp() {
    clearTimeout(this.timer);
    this.timer = null;
    const from = this.step + 1;
    this.step = lastStep(this.film);
    this.list(from, this.step);
    this.draw();
  }

  /** Whether all moves have been shown. */
  get isCurrent() {
    return this.film !== null && !this.behind && this.timer === null;
  }

  draw(duration = 0) {
    const now = this.now;
    const turn = this.isCurrent && now?.phase === "playing" ? now.turn : null;
    if (this.film) {
      const lines = Math.min(this.step, this.film.entries.length);
      this.table.show(frameAt(this.film, this.step, this.seat), {
        seat: this.seat,
        choices: turn ? this.choices.onTable(turn, this.busy) : [],
        entry: duration && this.step <= this.film.entries.length ? this.film.entries[lines - 1] : null,
        out: forfeitedAt(this.film, lines),
        scoring: scoringAt(this.film, this.step),
        result: this.step >= this.film.entries.length ? this.film.result : null,
        duration,
      });
    }
    this.choices.show(turn, this.busy);
    this.clock.run(Boolean(turn));
    byId("skip").hidden = !this.behind && this.timer === null;
    byId("resign").disabled = now?.phase !== "playing" || this.hasForfeited;
    byId("game").dataset.turn = turn ? String(turn.decision) : "";
    byId("game").dataset.phase = now?.phase ?? "";
    byId("game").dataset.step = String(this.step);
    this.say(turn);
    if (now?.end && this.isCurrent) {
      byId("game").dataset.done = "";
      showEnd(now.end);
    }
  }

  yourTurn() {
    const hand = this.film.decks ? frameAt(this.film, this.step, this.seat).hands[this.seat] : null;
    return hand ? `Your turn: lay ${hand}` : "Your turn";
  }

  get hasForfeited() {
    return Boolean(this.film?.entries.some((entry) => entry.fault && entry.seat === this.seat));
  }

  /** Shows whose turn it is. */
  say(turn) {
    const now = this.now;
    let said = "Starting the bots …";
    if (now?.phase === "broken") said = now.problem;
    else if (now?.phase === "over" && this.isCurrent) said = "The match is over.";
    else if (turn) said = turn.choices[0].action.startsWith("pilfer") ? "Your icon: take a card from another player" : this.yourTurn();
    else if (this.film) {
      const { turn: next } = frameAt(this.film, this.step, this.seat);
      const scoring = scoringAt(this.film, this.step);
      if (scoring) said = "The piles are scored";
      else if (next === null) said = "All cards are laid";
      else said = next === this.seat ? "…" : `${harmless(this.film.seats[next])} is thinking …`;
      if (this.hasForfeited && !scoring) said = "You forfeited; the others continue";
    }
    if (byId("status").textContent !== said) byId("status").textContent = said;
  }

  /** Adds the steps to the list of moves. */
  list(from, to) {
    const list = byId("moves");
    for (let step = from; step <= to; step += 1) {
      const line = document.createElement("li");
      line.textContent = sentenceFor(this.film, step, this.seat);
      const entry = this.film.entries[step - 1];
      line.dataset.step = String(step);
      if (entry?.seat === this.seat) line.className = "own";
      if (entry?.fault) {
        line.className = "fault";
        this.notice(line.textContent);
      }
      list.append(line);
    }
    list.parentElement.scrollTop = list.scrollHeight;
  }

  notice(text) {
    const line = document.createElement("li");
    line.textContent = text;
    byId("notices").append(line);
    byId("notices").hidden = false;
  }

  async choose(action) {
    const turn = this.now?.turn;
    if (!turn || this.busy || !this.isCurrent) return;
    this.busy = true;
    byId("error").textContent = "";
    this.draw();
    const { error, status } = await send(`${here}/choose`, { decision: turn.decision, action });
    if (error && status !== 409) {
      byId("error").textContent = harmless(error);
      this.busy = false;
      this.draw();
    }
  }
}

const game = new Game();

function follow() {
  const stream = new EventSource(`/events${here}`);
  stream.addEventListener("film", (event) => game.takeFilm(JSON.parse(event.data)));
  stream.addEventListener("more", (event) => game.takeMore(JSON.parse(event.data)));
  stream.addEventListener("now", (event) => {
    byId("game").dataset.connected = "";
    byId("error").textContent = "";
    game.takeNow(JSON.parse(event.data));
  });
  stream.addEventListener("error", () => {
    delete byId("game").dataset.connected;
    byId("error").textContent = "The connection is lost. The match continues after reconnecting, unless the server was stopped.";
  });
  addEventListener("pagehide", () => stream.close());
}

byId("skip").addEventListener("click", () => game.catchUp());
byId("pace").addEventListener("change", () => {
  try { localStorage.setItem("arena-pace", byId("pace").value); } catch { /* not stored */ }
});
byId("resign").addEventListener("click", () => byId("confirm").showModal());
byId("confirm").addEventListener("close", async () => {
  if (byId("confirm").returnValue !== "yes") return;
  byId("confirm").returnValue = "";
  const { error } = await send(`${here}/resign`, {});
  if (error) byId("error").textContent = harmless(error);
});
for (const [id, rotate] of [["again", false], ["rotate", true]]) {
  byId(id).addEventListener("click", async () => {
    const { error, address } = await send(`${here}/again`, { rotate });
    if (address) location.assign(address);
    else byId("error").textContent = harmless(error);
  });
}
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  if (byId("confirm").open) return;
  if (/^[0-9]$/.test(event.key)) game.choices.press((Number(event.key) + 9) % 10);
  if (event.key === "s" && !byId("skip").hidden) game.catchUp();
});
try {
  const kept = localStorage.getItem("arena-pace");
  if (kept !== null) byId("pace").value = kept;
} catch { /* the default pace */ }
if (!byId("pace").value) byId("pace").value = "1000";
follow();
