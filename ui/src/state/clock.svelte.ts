// The clock for relative times. Ticks slowly, and not at all while the page is hidden.

const TICK = 10_000;

class Clock {
  now = $state(Date.now());

  constructor() {
    setInterval(() => !document.hidden && this.tick(), TICK);
    document.addEventListener("visibilitychange", () => !document.hidden && this.tick());
  }

  tick() {
    this.now = Date.now();
  }
}

export const clock = new Clock();
