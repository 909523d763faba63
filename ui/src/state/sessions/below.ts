// The sessions below a session, at every level, in the order of the sidebar. Pure.
import type { Session, SessionId } from "~/wire/types";

export interface Below {
  session: Session;
  /** The level below the direct children, which have 0. */
  level: number;
}

/**
 * Returns all descendants of `id`, each right after its parent. A loop in the data ends the walk.
 */
export function below(sessions: readonly Session[], id: SessionId): Below[] {
  const seen = new Set<SessionId>([id]);
  const walk = (parent: SessionId, level: number): Below[] =>
    sessions
      .filter((session) => session.parent === parent && !seen.has(session.id))
      .flatMap((session) => {
        seen.add(session.id);
        return [{ session, level }, ...walk(session.id, level + 1)];
      });
  return walk(id, 0);
}
