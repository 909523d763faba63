// Brings saved work back, and says so.
import type { App } from "~/features/app/app.svelte";
import type { SessionId } from "~/wire/types";
import { words } from "./words";

export function restoreWork(app: App, id: SessionId, backup?: string): Promise<boolean> {
  return app.attempt(words.restoreFailed, async () => {
    const session = await app.call("restoreWork", backup === undefined ? { id } : { id, backup });
    app.toasts.show({ title: words.restored(session.title), text: session.workspacePath ?? "" });
    app.view.open(id);
  });
}
