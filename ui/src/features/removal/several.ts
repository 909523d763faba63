// What is done to several chosen sessions. What the engine refuses is kept, with the reason.
import { isEnded, isLive } from "~/state/sessions/status";
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import type { SessionSummary } from "~/wire/types";
import { sideBySide, type Outcome, type Watch } from "./batch";
import { removeEnded } from "./ended";

export type Several = "stop" | "kill" | "archive" | "remove";

/** An agent may take seconds to stop, and most of that is waiting. */
const AT_ONCE = 6;

/** Returns the sessions that this can be done to. */
export function suited<S extends Pick<SessionSummary, "status">>(
  how: Several,
  sessions: readonly S[],
): S[] {
  return sessions.filter((session) =>
    how === "stop" || how === "kill" ? isLive(session) : isEnded(session),
  );
}

export function doAll(
  call: Call,
  how: Several,
  sessions: readonly SessionSummary[],
  watch: Watch,
): Promise<Outcome> {
  if (how === "remove") return removeEnded(call, sessions, watch);
  const most = how === "archive" ? 1 : AT_ONCE;
  return sideBySide(most, sessions, watch, async ({ id }) => {
    try {
      if (how === "stop") await call("stopSessions", { id });
      else if (how === "kill") await call("killSession", { id });
      else await call("archiveSession", { id, force: false });
      return null;
    } catch (thrown) {
      return CallError.from(thrown).message;
    }
  });
}
