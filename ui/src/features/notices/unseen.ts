// Sessions that finished while nobody looked: each has an unread notice. Looking at the session reads it, and looking at a plan
// those about it.
import type { App } from "~/state/app.svelte";
import type { View } from "~/state/view.svelte";
import type { Notice, SessionId } from "~/wire/types";

/** Returns the unread notices of sessions that finished a turn or ended. */
export function unseenOf(notices: readonly Notice[]): Notice[] {
  const isOf = ({ kind, sessionId }: Notice) =>
    sessionId !== null && (kind === "finished" || kind === "exited");
  return notices.filter((notice) => !notice.read && isOf(notice));
}

/** Returns the ids of the unread notices that a look at a view makes up for: that its session finished or ended, or all of its plan. */
export function seenIn(
  view: View,
  session: SessionId | null,
  notices: readonly Notice[],
): number[] {
  const plan = view.kind === "plan" ? view.id : null;
  const seen =
    plan === null
      ? unseenOf(notices).filter(({ sessionId }) => sessionId === session)
      : notices.filter(({ planId, read }) => !read && planId === plan);
  return seen.map(({ id }) => id);
}

/** Marks what became of the session or the plan in view as read, while the page has the focus. */
export function see(app: App): void {
  const { view, sessionId } = app.view;
  if (!document.hasFocus()) return;
  const ids = seenIn(view, sessionId, app.fleet.notices);
  // A failure is made up for by the next look.
  if (ids.length > 0) void app.call("readNotices", { ids }).catch(() => undefined);
}
