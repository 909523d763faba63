// Recreates a removed worktree, with its saved work if there is any, and reports it.
import type { App } from "~/state/app.svelte";
import type { SessionId } from "~/wire/types";
import { words } from "./words";

export function restoreWork(app: App, id: SessionId, backup?: string): Promise<boolean> {
  return app.attempt(words.restoreFailed, async () => {
    const session = await app.call("restoreWork", backup === undefined ? { id } : { id, backup });
    const title = backup === undefined ? words.back(session.title) : words.restored(session.title);
    app.toasts.show({ title, text: session.workspacePath ?? "" });
    app.view.open(id);
  });
}
