// The list of notices, one entry for each session: what happened last, and behind it what was before.
// A conductor that wakes for each of its workers would else fill the list alone. Pure.
import type { Notice, SessionId } from "~/wire/types";

/** What is told of one session. */
export interface Group {
  sessionId: SessionId;
  latest: Notice;
  /** Those before it, the newest first. */
  earlier: Notice[];
  /** Whether any of them is unread. */
  unread: boolean;
}

/** In the order of what happened last; the notices come newest first. */
export function groupsOf(notices: readonly Notice[]): Group[] {
  const groups = new Map<SessionId, Group>();
  for (const notice of notices) {
    const group = groups.get(notice.sessionId);
    if (group) {
      group.earlier.push(notice);
      group.unread ||= !notice.read;
    } else {
      const { sessionId } = notice;
      groups.set(sessionId, { sessionId, latest: notice, earlier: [], unread: !notice.read });
    }
  }
  return [...groups.values()];
}

/** Those of a group that are not read yet. */
export function unreadOf({ latest, earlier }: Group): number[] {
  return [latest, ...earlier].filter(({ read }) => !read).map(({ id }) => id);
}
