// The sessions that ended in a project or below a conductor. Pure.
import type { ProjectId, SessionSummary, SessionId } from "~/wire/types";
import { below } from "./below";
import { isEnded } from "./status";

/** The scope: a whole project, or everything below one session. */
export type EndedScope = { projectId: ProjectId } | { sessionId: SessionId };

/** Returns the ended sessions, workers before those above them. */
export function endedIn(sessions: readonly SessionSummary[], scope: EndedScope): SessionSummary[] {
  const within =
    "projectId" in scope
      ? sessions.filter(({ projectId }) => projectId === scope.projectId)
      : below(sessions, scope.sessionId).map(({ session }) => session);
  return within.filter(isEnded).sort((a, b) => b.depth - a.depth);
}
