// Sessions with the same title: their readable names, which differ, are then shown too. Pure.
import type { SessionSummary, SessionId } from "~/wire/types";

/** Returns the sessions whose title another session of the same project also has. */
export function twinsOf(
  sessions: readonly Pick<SessionSummary, "id" | "projectId" | "title">[],
): ReadonlySet<SessionId> {
  const first = new Map<string, SessionId>();
  const twins = new Set<SessionId>();
  for (const { id, projectId, title } of sessions) {
    const key = `${projectId}\n${title.trim().toLowerCase()}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, id);
    else twins.add(other).add(id);
  }
  return twins;
}
