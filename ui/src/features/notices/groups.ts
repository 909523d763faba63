// The list of notices, with one entry per session or plan: the latest notice, and the earlier ones behind it.
// Otherwise a conductor that wakes for each of its workers would fill the list alone. Pure.
import { capital } from "~/wire/sentence";
import type { Notice, PlanId, SessionId } from "~/wire/types";
import { words } from "./words";

/** The notices of one session or plan; or those about neither with the same title. */
export interface Group {
  /** Differs from that of each other group. */
  key: string;
  sessionId: SessionId | null;
  planId: PlanId | null;
  latest: Notice;
  /** The earlier notices, newest first. */
  earlier: Notice[];
  /** Whether any of them is unread. */
  unread: boolean;
}

function keyOf({ sessionId, planId, projectId, title }: Notice): string {
  if (sessionId !== null) return `session ${sessionId}`;
  return planId === undefined ? `other ${projectId ?? ""} ${title}` : `plan ${planId}`;
}

/** Groups notices, which come newest first; groups are ordered by their latest notice. */
export function groupsOf(notices: readonly Notice[]): Group[] {
  const groups = new Map<string, Group>();
  for (const notice of notices) {
    const key = keyOf(notice);
    const group = groups.get(key);
    if (group) {
      group.earlier.push(notice);
      group.unread ||= !notice.read;
    } else {
      const { sessionId, planId = null, read } = notice;
      groups.set(key, { key, sessionId, planId, latest: notice, earlier: [], unread: !read });
    }
  }
  return [...groups.values()];
}

/** Returns the ids of the unread notices of a group. */
export function unreadOf({ latest, earlier }: Group): number[] {
  return [latest, ...earlier].filter(({ read }) => !read).map(({ id }) => id);
}

/** Returns the title of a notice, and what became of that; the title of a plan's notice says both. */
export function headOf({ kind, title, planId }: Notice): { title: string; what: string } {
  return planId === undefined
    ? { title, what: words.kinds[kind] }
    : { title: capital(title), what: "" };
}

/** Returns the line of an earlier notice. Its title stands there if it is not that of the latest one. */
export function lineOf(notice: Notice, latest: Notice): string {
  const { title, what } = headOf(notice);
  const head = [notice.title === latest.title ? "" : title, what].filter(Boolean).join(" ");
  return [head, notice.text].filter(Boolean).join(notice.planId === undefined ? ": " : " · ");
}
