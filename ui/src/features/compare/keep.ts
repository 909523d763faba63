// What becomes of the compared sessions that are not kept: each is stopped if it lives, then archived, one after another. Its
// worktree, branch and conversation stay, so that all of it can be undone. What the engine refuses is kept, with the reason.
import { oneByOne, type Outcome, type Watch } from "~/features/removal/batch";
import { isEnded } from "~/state/sessions/status";
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import type { SessionSummary } from "~/wire/types";

export function putAwayAll(
  call: Call,
  sessions: readonly SessionSummary[],
  watch: Watch,
): Promise<Outcome> {
  return oneByOne(sessions, watch, async (session) => {
    const { id } = session;
    try {
      if (session.status === "queued") await call("killSession", { id });
      else if (!isEnded(session)) await call("stopSessions", { id });
      await call("archiveSession", { id, force: false });
      return null;
    } catch (thrown) {
      return CallError.from(thrown).message;
    }
  });
}

/** Restores the sessions that were put away to the list. */
export function bringBack(call: Call, sessions: readonly SessionSummary[]): Promise<Outcome> {
  return oneByOne(sessions, { at: () => undefined }, async ({ id }) => {
    try {
      await call("unarchiveSession", { id });
      return null;
    } catch (thrown) {
      return CallError.from(thrown).message;
    }
  });
}
