// The time that relative times are told against. Ticks slowly, and not at all while nobody looks.

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
