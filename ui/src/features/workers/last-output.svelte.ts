// The text at the end of a session's terminal, read again when the session changed and someone
// looks at it: never on a timer, never for a card that is out of view.
import type { Call } from "~/wire/client";
import { ASKED_LINES, lastLines } from "./lines";

/** Least time between two reads for one card: a working agent changes all the time. */
const READ_EVERY_MS = 700;

export class LastOutput {
  lines = $state.raw<string[]>([]);
  /** Whether it was read at least once. */
  known = $state(false);
  #call: Call;
  #id: string;
  #seen = "";
  #changed = "";
  #looking = false;
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

  /** The session is now at this mark; another one than before means that it changed. */
  change(mark: string): void {
    this.#changed = mark;
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
      this.#plan(0);
    }, READ_EVERY_MS);
  }
}
