// Discards the change of a file or a hunk, and offers to undo that. What can be discarded is in the worktree as it is shown.
import type { App } from "~/state/app.svelte";
import type { ChangeHunk, FileChange } from "~/wire/types";
import type { Review } from "./review.svelte";
import { shown, words } from "./words";

/** Whether the change of a file can be discarded, as far as the list says. */
export function canDiscard(
  { list, shown: { scope } }: Pick<Review, "list" | "shown">,
  file: FileChange,
): boolean {
  const isWorktree = list !== null && list.to === null && list.note === null;
  const isPossible = !file.isSubmodule && file.mark !== "conflict" && file.contentId !== null;
  return isWorktree && scope !== "commit" && scope !== "committed" && isPossible;
}

/** Discards the change of a file, or only a hunk of it. */
export async function discard(
  app: App,
  review: Review,
  file: FileChange,
  hunk?: ChangeHunk,
): Promise<void> {
  const { id } = review;
  const { scope, turn } = review.shown;
  const name = shown(file.path);
  await app.attempt(words.notDiscarded(name), async () => {
    const { number } = await app.call("discardChange", {
      id,
      path: file.path,
      contentId: file.contentId ?? "",
      scope,
      ...(turn === undefined ? {} : { turn }),
      ...(file.oldPath === null ? {} : { oldPath: file.oldPath }),
      ...(hunk ? { hunk: { oldStart: hunk.oldStart, newStart: hunk.newStart } } : {}),
    });
    const run = () => void undo(app, review, number, name);
    const title = hunk ? words.discardedHunk(name) : words.discarded(name);
    const session = app.fleet.session(id)?.name ?? id;
    app.toasts.show({
      title,
      text: words.undoLater(session, number),
      action: { label: words.undo, run },
    });
  });
  await review.read();
}

async function undo(app: App, review: Review, number: number, name: string): Promise<void> {
  const { id } = review;
  await app.attempt(words.notUndone(name), () => app.call("undoDiscard", { id, number }));
  await review.read();
}
