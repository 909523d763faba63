// The progress of a batch that a dialog shows. Once the dialog is closed, a toast goes on showing it, and can stop it, too.
import type { Toasts } from "~/state/toasts.svelte";
import type { Watch } from "./batch";
import { words } from "./words";

export class Progress {
  /** The number done; null while nothing is in progress. */
  done = $state<number | null>(null);
  all = $state(0);
  /** Whether it stops before the next one. */
  stopping = $state(false);
  isClosed = false;
  #stopper = new AbortController();
  #toast: number | null = null;

  constructor(
    readonly toasts: Toasts,
    /** What is being done, for the toast: `Removing sessions`. */
    readonly title: string,
  ) {}

  /** `7 of 40`. */
  get text(): string {
    return words.progress(this.done ?? 0, this.all);
  }

  async run<Found>(all: number, work: (watch: Watch) => Promise<Found>): Promise<Found> {
    [this.done, this.all] = [0, all];
    const at = (done: number) => {
      this.done = done;
      if (this.#toast !== null) this.toasts.update(this.#toast, this.text);
    };
    try {
      return await work({ at, signal: this.#stopper.signal });
    } finally {
      this.done = null;
      if (this.#toast !== null) this.toasts.dismiss(this.#toast);
    }
  }

  stop = () => {
    this.stopping = true;
    this.#stopper.abort();
  };

  /** Called when the dialog has closed. */
  close() {
    this.isClosed = true;
    if (this.done === null) return;
    const action = { label: words.stop, run: this.stop };
    this.#toast = this.toasts.show({ title: this.title, text: this.text, action, lasting: true });
  }
}
