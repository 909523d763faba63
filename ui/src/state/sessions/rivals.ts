// Finds sessions with the same task, which can be compared. Nothing is stored for this; it does not matter
// whether a person or a conductor asked for them. Pure.
import type { SessionSummary, SessionId } from "~/wire/types";

/** The maximum number compared side by side: more leave no room for their content. */
export const MOST = 4;

type Known = Pick<SessionSummary, "id" | "projectId" | "parent" | "taskKey">;

/** Returns what competing sessions have in common; null if there is no task. */
function keyOf({ projectId, parent, taskKey }: Known): string | null {
  return taskKey === null ? null : JSON.stringify([projectId, parent, taskKey]);
}

/** Returns the sessions with the same task and parent, including this one; empty if there is no other. */
export function rivalsOf<S extends Known>(sessions: readonly S[], session: Known): S[] {
  const key = keyOf(session);
  const same = key === null ? [] : sessions.filter((other) => keyOf(other) === key);
  return same.length < 2 ? [] : same;
}

/**
 * Returns the workers that a conductor's page compares first: the newest that share a task, else the newest.
 */
export function firstCompared(
  workers: readonly (Known & Pick<SessionSummary, "createdAt">)[],
): SessionId[] {
  const newest = workers.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  const rival = newest.find((worker) => rivalsOf(workers, worker).length > 0);
  const chosen = rival ? rivalsOf(workers, rival) : newest.slice(0, 2);
  return chosen.slice(0, MOST).map(({ id }) => id);
}
