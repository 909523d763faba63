// Sessions that got the same task: what one compares. Nothing is stored for it; who asked for them,
// a person or a conductor, does not matter. Pure.
import type { Session, SessionId } from "~/wire/types";

/** How many stand side by side at most: more leave no room for what they say. */
export const MOST = 4;

type Known = Pick<Session, "id" | "projectId" | "parent" | "task">;

/** What two that compete have in common; null where there is no task. */
function keyOf({ projectId, parent, task }: Known): string | null {
  const text = task.trim();
  return text === "" ? null : JSON.stringify([projectId, parent, text]);
}

/** Those with the same task beside the same parent, it among them; empty where it is alone. */
export function rivalsOf<S extends Known>(sessions: readonly S[], session: Known): S[] {
  const key = keyOf(session);
  const same = key === null ? [] : sessions.filter((other) => keyOf(other) === key);
  return same.length < 2 ? [] : same;
}

/** Which workers a conductor's page compares first: the newest that share a task, else the newest. */
export function firstCompared(
  workers: readonly (Known & Pick<Session, "createdAt">)[],
): SessionId[] {
  const newest = workers.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  const rival = newest.find((worker) => rivalsOf(workers, worker).length > 0);
  const chosen = rival ? rivalsOf(workers, rival) : newest.slice(0, 2);
  return chosen.slice(0, MOST).map(({ id }) => id);
}
