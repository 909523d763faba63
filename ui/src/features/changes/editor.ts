// Opens a session's workspace, or a line of a file in it, in the person's editor.
import type { App } from "~/state/app.svelte";
import type { ChangeHunk, FileChange } from "~/wire/types";
import { linesOf } from "./lines";
import type { Review } from "./review.svelte";
import { shown, words } from "./words";

/** Whether a changed file is in the worktree, as far as the list says. */
export function canOpen({ list }: Pick<Review, "list">, file: FileChange): boolean {
  return list !== null && list.to === null && file.mark !== "deleted" && !file.isSubmodule;
}

/** The first line that a hunk changed, as it is numbered in the worktree. */
export function firstLine(hunk: ChangeHunk): number {
  let next = hunk.newStart;
  for (const { sign, after } of linesOf(hunk)) {
    if (sign !== " ") return Math.max(1, after ?? next);
    next = (after ?? next) + 1;
  }
  return Math.max(1, hunk.newStart);
}

/** Opens a file at a line; the whole workspace if none is given. */
export async function openInEditor(app: App, id: string, path?: string, line = 1): Promise<void> {
  const name = path === undefined ? words.workspace : shown(path);
  await app.attempt(words.notOpened(name), async () => {
    const place = path === undefined ? {} : { path, line };
    const { editor } = await app.call("openInEditor", { id, ...place });
    app.toasts.show({ title: words.opened(name, editor) });
  });
}
