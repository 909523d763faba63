// Sessions that finished while nobody looked: each has an unread notice. Looking at the session reads it.
import type { App } from "~/state/app.svelte";
import type { Notice } from "~/wire/types";

/** Returns the unread notices of sessions that finished a turn or ended. */
export function unseenOf(notices: readonly Notice[]): Notice[] {
  const isOf = ({ kind, sessionId }: Notice) =>
    sessionId !== null && (kind === "finished" || kind === "exited");
  return notices.filter((notice) => !notice.read && isOf(notice));
}

/** Marks what became of the session in view as read, while the page has the focus. */
export function see(app: App): void {
  const id = app.view.sessionId;
  if (id === null || !document.hasFocus()) return;
  const ids = unseenOf(app.fleet.notices)
    .filter(({ sessionId }) => sessionId === id)
    .map((notice) => notice.id);
  // A failure is made up for by the next look.
  if (ids.length > 0) void app.call("readNotices", { ids }).catch(() => undefined);
}
