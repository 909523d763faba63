// What is done to several chosen sessions at once, one after another. What the engine refuses is kept, with the reason.
import { isEnded, isLive } from "~/state/sessions/status";
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import type { SessionSummary } from "~/wire/types";
import { removeEnded, type Outcome } from "./ended";

export type Several = "stop" | "archive" | "remove";

/** Returns the sessions that this can be done to. */
export function suited<S extends Pick<SessionSummary, "status">>(
  how: Several,
  sessions: readonly S[],
): S[] {
  return sessions.filter((session) => (how === "stop" ? isLive(session) : isEnded(session)));
}

/** Does it to each, and calls `told` with the number done. */
export async function doAll(
  call: Call,
  how: Several,
  sessions: readonly SessionSummary[],
  told: (done: number) => void,
): Promise<Outcome> {
  if (how === "remove") return removeEnded(call, sessions, told);
  const outcome: Outcome = { done: [], kept: [] };
  for (const [index, session] of sessions.entries()) {
    const { id } = session;
    try {
      if (how === "stop") await call("stopSessions", { id });
      else await call("archiveSession", { id, force: false });
      outcome.done.push(session);
    } catch (thrown) {
      outcome.kept.push({ session, why: CallError.from(thrown).message });
    }
    told(index + 1);
  }
  return outcome;
}
