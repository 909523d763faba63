// What the cleanup of a project's worktrees says.
import type { CleanupReason, CleanupTree } from "~/wire/types";

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
  cancel: "Cancel",
  close: "Close",
};

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
