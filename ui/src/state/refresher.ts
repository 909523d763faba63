// Reads outdated data again: batched, never the same topic twice at the same time, and once more if
// it was requested during a read. Failed reads are retried with growing pauses, since no further
// change would request them.

/**
 * At most about twelve rounds a second: faster than eyes can follow, slower than sixty busy agents.
 */
const PAUSE = 80;

/**
 * The pauses between retries of a failed read, in milliseconds: doubled from the first up to the
 * last.
 */
const [FIRST_RETRY, LAST_RETRY] = [250, 8_000];

export class Refresher<Topic extends string> {
  #wanted = new Set<Topic>();
  #busy = new Set<Topic>();
  #failures = new Map<Topic, number>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #stopped = false;

  constructor(
    private readonly read: (topic: Topic) => Promise<void>,
    private readonly pause = PAUSE,
  ) {}

  ask(topic: Topic) {
    this.#wanted.add(topic);
    this.#timer ??= setTimeout(() => this.#round(), this.#busy.size > 0 ? this.pause : 0);
  }

  stop() {
    this.#stopped = true;
  }

  #round() {
    this.#timer = null;
    if (this.#stopped) return;
    for (const topic of [...this.#wanted]) {
      if (this.#busy.has(topic)) continue;
      this.#wanted.delete(topic);
      this.#busy.add(topic);
      void this.read(topic).then(
        () => this.#settle(topic, 0),
        () => this.#settle(topic, (this.#failures.get(topic) ?? 0) + 1),
      );
    }
  }

  #settle(topic: Topic, failures: number) {
    this.#failures.set(topic, failures);
    if (failures > 0) this.#wanted.add(topic);
    const retry = Math.min(FIRST_RETRY * 2 ** (failures - 1), LAST_RETRY);
    setTimeout(
      () => {
        this.#busy.delete(topic);
        if (this.#wanted.has(topic)) this.#timer ??= setTimeout(() => this.#round(), 0);
      },
      failures > 0 ? retry : this.pause,
    );
  }
}
