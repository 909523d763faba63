// The sessions below a session, at every level, in the order of the sidebar. Pure.
import type { SessionSummary, SessionId } from "~/wire/types";

export interface Below {
  session: SessionSummary;
  /** Levels below the direct ones. */
  level: number;
}

/** Everyone below `id`, each right after its parent. A loop in the data ends the walk. */
export function below(sessions: readonly SessionSummary[], id: SessionId): Below[] {
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
