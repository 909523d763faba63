// What the cleanup of a project's worktrees says.
import type { Call } from "~/wire/client";
import type { CleanupReason, CleanupTree, ProjectId, SessionId } from "~/wire/types";
import type { Watch } from "./batch";

const reasons: Record<CleanupReason, string> = {
  merged: "Merged",
  issueClosed: "Issue closed",
  ended: "Ended",
  buildOutput: "Build output",
};

export const cleanup = {
  menu: "Clean up worktrees…",
  title: (project: string) => `Clean up ${project}`,
  text: "Removes the worktrees of sessions that have ended, were merged or whose issue is closed, and archives these sessions. Their work is saved first.",
  list: "Worktrees",
  summary: (number: number, size: string, isDone: boolean) =>
    `${number === 1 ? "1 worktree" : `${number} worktrees`} with ${size} ${isDone ? "removed" : "can go"}.`,
  confirm: (number: number) => (number === 1 ? "Remove 1 worktree" : `Remove ${number} worktrees`),
  doing: (project: string) => `Cleaning up ${project}`,
  failed: "Could not remove the worktrees",
  cancel: "Cancel",
  close: "Close",
};

/**
 * Removes the worktrees of these sessions one after another, in the order in which the engine listed them: those of
 * workers before their conductors'. Each call also names those that stayed, since the worktree above them then stays, too.
 * Calls `found` with what became of each.
 */
export async function cleanOneByOne(
  call: Call,
  project: ProjectId,
  ids: readonly SessionId[],
  { at, signal }: Watch,
  found: (trees: readonly CleanupTree[]) => void,
): Promise<void> {
  const stayed = new Set<SessionId>();
  for (const [index, id] of ids.entries()) {
    if (signal?.aborted) return;
    at(index);
    const trees = await call("cleanUp", { project, sessions: [...stayed, id] });
    for (const tree of trees) {
      if (tree.kept === null) stayed.delete(tree.id);
      else stayed.add(tree.id);
    }
    found(trees);
  }
  at(ids.length);
}

/** The size of what goes, or went, in bytes. */
export function freed(trees: readonly CleanupTree[]): number {
  return trees.reduce((sum, { bytes, kept }) => sum + (kept === null ? bytes : 0), 0);
}

/** Why a worktree goes, or stays. */
export function why({ because, kept }: CleanupTree, isDone: boolean): string {
  if (kept !== null) return `Stays: ${kept}`;
  const reason = because === null ? "" : reasons[because];
  return isDone ? `Removed: ${reason}` : reason;
}
