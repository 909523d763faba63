// Sessions that read the same: their readable names, which differ, then stand beside the titles. Pure.
import type { Session, SessionId } from "~/wire/types";

/** Those whose title another session of the same project has, too. */
export function twinsOf(
  sessions: readonly Pick<Session, "id" | "projectId" | "title">[],
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
