// How long a session took for its task. Pure: now is passed in.
import { isWorking } from "~/state/sessions/status";
import type { Session } from "~/wire/types";

type Timed = Pick<
  Session,
  "status" | "statusSince" | "createdAt" | "lastActivityAt" | "report" | "steps"
>;

export interface Span {
  milliseconds: number;
  /** Whether it is still running. */
  going: boolean;
}

/** Returns the time from the start of the preparation until the session reported, became idle or ended;
 * null while it is queued, and if that is unknown. */
export function spanOf(session: Timed, now: number): Span | null {
  if (session.status === "queued") return null;
  const from = session.steps.find(({ startedAt }) => startedAt !== null)?.startedAt;
  const going = session.report === null && (isWorking(session) || session.status === "waiting");
  // The clock of the page ticks slowly, so the last activity may be later.
  const until = going
    ? Math.max(now, Date.parse(session.lastActivityAt))
    : Date.parse(session.report?.at ?? session.statusSince);
  const milliseconds = until - Date.parse(from ?? session.createdAt);
  // A resume restarts the steps, so the time before it is unknown.
  return milliseconds < 0 && !going ? null : { milliseconds: Math.max(0, milliseconds), going };
}
