// Where a queued session stands among those that wait for the same place. Pure.
import type { Session } from "~/wire/types";

type Waiting = Pick<
  Session,
  "id" | "parent" | "projectId" | "status" | "createdAt" | "statusEvidence"
>;

/** Whether two that are held back wait for the same thing to have room. */
function together(a: Waiting, b: Waiting): boolean {
  const why = a.statusEvidence.detail;
  if (why !== b.statusEvidence.detail) return false;
  if (why.includes("conductor")) return a.parent === b.parent;
  return !why.includes("project") || a.projectId === b.projectId;
}

/** 1 for the next to start; 0 where it does not wait. */
export function placeInLine(sessions: readonly Waiting[], session: Waiting): number {
  const line = sessions
    .filter((other) => other.status === "queued" && together(other, session))
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
  return line.findIndex(({ id }) => id === session.id) + 1;
}
