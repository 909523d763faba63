// What one compared session changed and said last. Read again when the session changed, while it is
// in view.
import { Reading } from "~/features/workers/reading";
import type { Call } from "~/wire/client";
import type { Changes, SessionId } from "~/wire/types";

/** Minimum time between two reads: git scans the worktree for each. */
const READ_EVERY_MS = 2_000;

/** Time between reads of a working session. */
const WORKING_EVERY_MS = 6_000;

export class Side {
  changes = $state.raw<Changes | null>(null);
  answer = $state("");
  /** Whether it was read at least once. */
  known = $state(false);
  readonly reading: Reading;

  constructor(call: Call, id: SessionId) {
    const ask = async (what: "diff" | "answer") => {
      try {
        return await call("getOutput", { id, what });
      } catch {
        // There is no worktree or no answer yet; both are shown as such.
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
