// When something of a session is read again: after it changed, and only while someone looks. Printing
// and editing are no change of a session, so one that works is also read every few seconds; one that
// does not, or that is out of view, is left alone. What is read is the caller's.

export interface Pace {
  /** Least time between two reads: a working agent changes all the time. */
  every: number;
  /** Time between reads of a session that works: as often as a glance is worth. */
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

  /** `read` never fails: what cannot be read stays as it was shown. */
  constructor(read: () => Promise<void>, pace: Pace) {
    this.#read = read;
    this.#pace = pace;
  }

  /** Whether someone looks. */
  look(looking: boolean): void {
    this.#looking = looking;
    this.#plan(0);
  }

  /** The session is now at this mark (another one than before: it changed), and works or not. */
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
