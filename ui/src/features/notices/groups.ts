// The list of notices, with one entry per session: the latest notice, and the earlier ones behind it.
// Otherwise a conductor that wakes for each of its workers would fill the list alone. Pure.
import type { Notice, SessionId } from "~/wire/types";

/** The notices of one session, or those about none. */
export interface Group {
  sessionId: SessionId | null;
  latest: Notice;
  /** The earlier notices, newest first. */
  earlier: Notice[];
  /** Whether any of them is unread. */
  unread: boolean;
}

/** Groups notices, which come newest first; groups are ordered by their latest notice. */
export function groupsOf(notices: readonly Notice[]): Group[] {
  const groups = new Map<SessionId | null, Group>();
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

/** Returns the ids of the unread notices of a group. */
export function unreadOf({ latest, earlier }: Group): number[] {
  return [latest, ...earlier].filter(({ read }) => !read).map(({ id }) => id);
}
