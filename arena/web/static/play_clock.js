// The person's clock. It stays full while the moves of others are shown.

const HURRY_SECONDS = 5;

export class Clock {
  constructor(place, text, bar) {
    this.place = place;
    this.text = text;
    this.bar = bar;
    this.ends = null;
    this.seconds = null;
    setInterval(() => this.draw(), 200);
  }

  /** @param {{seconds: number | null, left: number | null} | null} turn */
  set(turn) {
    this.seconds = turn?.seconds ?? null;
    this.ends = this.seconds === null ? null : performance.now() + 1000 * turn.left;
    this.draw();
  }

  /** Shows the clock only during the person's turn. */
  run(isOn) {
    this.isOn = isOn;
    this.draw();
  }

  draw() {
    this.place.hidden = this.ends === null || !this.isOn;
    if (this.place.hidden) return;
    const left = Math.max(0, Math.min(this.seconds, (this.ends - performance.now()) / 1000));
    this.text.textContent = `${Math.ceil(left)} s`;
    this.bar.value = left / this.seconds;
    this.place.classList.toggle("hurry", left <= HURRY_SECONDS);
  }
}
