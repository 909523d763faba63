// What one compared session changed and said last: read again when it changed and someone looks.
import { Reading } from "~/features/workers/reading";
import type { Call } from "~/wire/client";
import type { Changes, SessionId } from "~/wire/types";

/** Least time between two reads: git looks through the worktree for each. */
const READ_EVERY_MS = 2_000;

/** Time between reads of a session that works. */
const WORKING_EVERY_MS = 6_000;

export class Side {
  changes = $state.raw<Changes | null>(null);
  answer = $state("");
  /** Whether it was asked at least once. */
  known = $state(false);
  readonly reading: Reading;

  constructor(call: Call, id: SessionId) {
    const ask = async (what: "diff" | "answer") => {
      try {
        return await call("getOutput", { id, what });
      } catch {
        // No worktree, or no answer yet: both are shown as such.
        return null;
      }
    };
    const read = async () => {
      const [diff, answer] = await Promise.all([ask("diff"), ask("answer")]);
      this.changes = diff?.changes ?? null;
      this.answer = answer?.text ?? "";
      this.known = true;
    };
    this.reading = new Reading(read, { every: READ_EVERY_MS, working: WORKING_EVERY_MS });
  }
}
