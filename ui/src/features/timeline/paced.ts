// Runs something at once, or soon: the latter at most once in a while, and never while nobody looks.

export class Paced {
  #last = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDue = false;

  constructor(
    private readonly run: () => void,
    /** The shortest time between two runs, in milliseconds. */
    private readonly pause: number,
    private readonly isHidden: () => boolean = () => document.hidden,
  ) {}

  now() {
    this.stop();
    this.#last = performance.now();
    this.run();
  }

  /** Runs it as soon as the pause is over and somebody looks; once, however often this was called. */
  soon() {
    this.#isDue = true;
    this.look();
  }

  /** Catches up on what was left out, when somebody looks again. */
  look() {
    if (!this.#isDue || this.#timer !== undefined || this.isHidden()) return;
    const wait = this.#last + this.pause - performance.now();
    if (wait <= 0) return this.now();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.look();
    }, wait);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
  }
}
