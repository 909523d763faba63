// The text at the end of a session's terminal.
import type { Call } from "~/wire/client";
import { ASKED_LINES, lastLines } from "./lines";
import { Reading } from "./reading";

/** Minimum time between two reads for one card. */
const READ_EVERY_MS = 700;

/** Time between reads of a working session. */
const WORKING_EVERY_MS = 2000;

export class LastOutput {
  lines = $state.raw<string[]>([]);
  /** Whether it was read at least once. */
  known = $state(false);
  readonly reading: Reading;

  constructor(call: Call, id: string) {
    const read = async () => {
      try {
        const { text } = await call("getOutput", { id, lines: ASKED_LINES });
        this.lines = lastLines(text);
      } catch {
        // There is no terminal (any more): the text shown so far stays.
      }
      this.known = true;
    };
    this.reading = new Reading(read, { every: READ_EVERY_MS, working: WORKING_EVERY_MS });
  }
}
