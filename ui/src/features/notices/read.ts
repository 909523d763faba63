// Marks notices as read: some, or all.
import type { App } from "~/state/app.svelte";
import { words } from "./words";

export function readNotices(app: App, ids?: number[]): Promise<boolean> {
  return app.attempt(words.readFailed, () =>
    app.call("readNotices", ids === undefined ? {} : { ids }),
  );
}
