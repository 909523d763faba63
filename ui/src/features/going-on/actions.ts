// Puts sessions away and back. What asks first has a dialog beside this file.
import type { App } from "~/features/app/app.svelte";
import type { Session } from "~/wire/types";
import { words } from "./words";

export async function archive(app: App, { id, title }: Session): Promise<void> {
  const done = await app.attempt(words.archiveFailed, () => app.call("archiveSession", { id }));
  if (!done) return;
  if (app.view.sessionId === id) app.view.show({ kind: "home" });
  app.toasts.show({
    title: words.archived(title),
    text: words.archivedText,
    action: { label: words.undo, run: () => void unarchive(app, id, title) },
  });
}

export function unarchive(app: App, id: string, title: string): Promise<boolean> {
  return app.attempt(words.unarchiveFailed, async () => {
    await app.call("unarchiveSession", { id });
    app.toasts.show({ title: words.back(title) });
  });
}
