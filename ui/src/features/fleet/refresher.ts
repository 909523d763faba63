// Asks again for what is out of date: once per frame however often it is told, never the same
// thing twice at the same time, and once more if it was told while it asked.

/** At most about twelve rounds a second: faster than eyes, slower than sixty busy agents. */
const PAUSE = 80;

export class Refresher<Topic extends string> {
  #wanted = new Set<Topic>();
  #busy = new Set<Topic>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly read: (topic: Topic) => Promise<void>,
    private readonly pause = PAUSE,
  ) {}

  ask(topic: Topic) {
    this.#wanted.add(topic);
    this.#timer ??= setTimeout(() => this.#round(), this.#busy.size > 0 ? this.pause : 0);
  }

  #round() {
    this.#timer = null;
    for (const topic of [...this.#wanted]) {
      if (this.#busy.has(topic)) continue;
      this.#wanted.delete(topic);
      this.#busy.add(topic);
      // A failed read is not the end: the stream reconnects and says what to read again.
      void this.read(topic)
        .catch(() => undefined)
        .finally(() => this.#settle(topic));
    }
  }

  #settle(topic: Topic) {
    setTimeout(() => {
      this.#busy.delete(topic);
      if (this.#wanted.has(topic)) this.#timer ??= setTimeout(() => this.#round(), 0);
    }, this.pause);
  }
}
