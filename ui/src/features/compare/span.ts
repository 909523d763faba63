// How long a session took for its task. Pure: now is passed in.
import { isWorking } from "~/state/sessions/status";
import type { Session } from "~/wire/types";

type Timed = Pick<
  Session,
  "status" | "statusSince" | "createdAt" | "lastActivityAt" | "report" | "steps"
>;

export interface Span {
  milliseconds: number;
  /** Whether it goes on. */
  going: boolean;
}

/** From the beginning of its preparation until it reported, rested or ended; null while it is queued, and where
 * that is not known. */
export function spanOf(session: Timed, now: number): Span | null {
  if (session.status === "queued") return null;
  const from = session.steps.find(({ startedAt }) => startedAt !== null)?.startedAt;
  const going = session.report === null && (isWorking(session) || session.status === "waiting");
  // The clock of the page ticks slowly.
  const until = going
    ? Math.max(now, Date.parse(session.lastActivityAt))
    : Date.parse(session.report?.at ?? session.statusSince);
  const milliseconds = until - Date.parse(from ?? session.createdAt);
  // A resume begins its steps anew: from before it nothing is known.
  return milliseconds < 0 && !going ? null : { milliseconds: Math.max(0, milliseconds), going };
}
