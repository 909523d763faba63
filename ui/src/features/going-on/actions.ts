// Archives and unarchives sessions. Actions that ask first have a dialog in this folder.
import type { App } from "~/state/app.svelte";
import { leave } from "~/features/shells/actions";
import type { SessionSummary } from "~/wire/types";
import { words } from "./words";

export function archive(app: App, session: SessionSummary): Promise<void> {
  return leave(app, session, "archive", words.archiveFailed, () => putAway(app, session, false));
}

/** Archives a session; with `force`, also if that ends programs in its shells. */
export async function putAway(
  app: App,
  { id, title }: SessionSummary,
  force: boolean,
): Promise<void> {
  await app.call("archiveSession", { id, force });
  app.view.leave(id);
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
