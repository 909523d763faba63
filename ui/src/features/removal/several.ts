// What is done to several chosen sessions at once, one after another. What the engine refuses is kept, with the reason.
import { isEnded, isLive } from "~/state/sessions/status";
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import type { SessionSummary } from "~/wire/types";
import { oneByOne, type Outcome, type Watch } from "./batch";
import { removeEnded } from "./ended";

export type Several = "stop" | "archive" | "remove";

/** Returns the sessions that this can be done to. */
export function suited<S extends Pick<SessionSummary, "status">>(
  how: Several,
  sessions: readonly S[],
): S[] {
  return sessions.filter((session) => (how === "stop" ? isLive(session) : isEnded(session)));
}

export function doAll(
  call: Call,
  how: Several,
  sessions: readonly SessionSummary[],
  watch: Watch,
): Promise<Outcome> {
  if (how === "remove") return removeEnded(call, sessions, watch);
  return oneByOne(sessions, watch, async ({ id }) => {
    try {
      if (how === "stop") await call("stopSessions", { id });
      else await call("archiveSession", { id, force: false });
      return null;
    } catch (thrown) {
      return CallError.from(thrown).message;
    }
  });
}
