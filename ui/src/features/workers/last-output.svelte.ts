// The text at the end of a session's terminal, read again when the session changed and someone
// looks at it. Printing is no change of a session, so one that works is also read every few
// seconds; one that does not, or that is out of view, is left alone.
import type { Call } from "~/wire/client";
import { ASKED_LINES, lastLines } from "./lines";

/** Least time between two reads for one card: a working agent changes all the time. */
const READ_EVERY_MS = 700;

/** Time between reads of a session that works: as often as a glance is worth. */
const WORKING_EVERY_MS = 2000;

export class LastOutput {
  lines = $state.raw<string[]>([]);
  /** Whether it was read at least once. */
  known = $state(false);
  #call: Call;
  #id: string;
  #seen = "";
  #changed = "";
  #looking = false;
  #working = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;

  constructor(call: Call, id: string) {
    this.#call = call;
    this.#id = id;
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
    this.#timer = setTimeout(() => void this.#read(), pause);
  }

  async #read(): Promise<void> {
    if (!this.#looking) {
      this.#timer = undefined;
      return;
    }
    const mark = this.#changed;
    try {
      const { text } = await this.#call("getOutput", { id: this.#id, lines: ASKED_LINES });
      this.lines = lastLines(text);
    } catch {
      // No terminal yet, or none any more: what was shown stays.
    }
    this.known = true;
    this.#seen = mark;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#working) this.#seen = "";
      this.#plan(this.#working && mark === this.#changed ? WORKING_EVERY_MS - READ_EVERY_MS : 0);
    }, READ_EVERY_MS);
  }
}
