// Decides when data of a session is read again: after a change, and only while it is in view. Printing and
// editing are not changes of a session, so a working session in view is also read every few seconds. The
// caller does the reading.

export interface Pace {
  /** Minimum time between two reads: a working agent changes all the time. */
  every: number;
  /** Time between reads of a working session. */
  working: number;
}

export class Reading {
  readonly #read: () => Promise<void>;
  readonly #pace: Pace;
  #seen = "";
  #changed = "";
  #looking = false;
  #working = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;

  /** `read` must not fail: data that cannot be read stays as it was. */
  constructor(read: () => Promise<void>, pace: Pace) {
    this.#read = read;
    this.#pace = pace;
  }

  /** Sets whether the data is in view. */
  look(looking: boolean): void {
    this.#looking = looking;
    this.#plan(0);
  }

  /** Reports the session's current mark (a different mark means it changed) and whether it is working. */
  change(mark: string, working = false): void {
    this.#changed = mark;
    this.#working = working;
    this.#plan(0);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #plan(pause: number): void {
    if (this.#ended || this.#timer !== undefined || !this.#looking) return;
    if (this.#seen === this.#changed) return;
    this.#timer = setTimeout(() => void this.#run(), pause);
  }

  async #run(): Promise<void> {
    if (!this.#looking) {
      this.#timer = undefined;
      return;
    }
    const mark = this.#changed;
    await this.#read();
    this.#seen = mark;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#working) this.#seen = "";
      const { every, working } = this.#pace;
      this.#plan(this.#working && mark === this.#changed ? working - every : 0);
    }, this.#pace.every);
  }
}
