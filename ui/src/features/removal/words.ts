// What is said before something ends or goes, and after.
export const words = {
  cancel: "Cancel",
  killTitle: (name: string, title: string) => `${name} “${title}”?`,
  killText:
    "Ends its whole process tree now. Its worktree, branch and conversation stay, and it can be resumed.",
  killShellText:
    "Ends the shell and all that it runs now. Its worktree and branch stay, and a new shell can be started there.",
  killGoOn: (n: number) =>
    n === 1 ? "Its worker keeps running." : `Its ${n} workers keep running.`,
  killed: (title: string) => `${title} was killed`,
  removeNext: "Remove worktree…",
  killWorkersTitle: (title: string) => `Kill all workers of “${title}”?`,
  killWorkersText:
    "Ends the process trees of all workers below it, at every level. Their worktrees and branches stay.",
  killWorkers: "Kill all workers",
  killedWorkers: (n: number) => (n === 1 ? "1 worker was killed" : `${n} workers were killed`),
  removeTitle: (title: string) => `Remove “${title}”`,
  removeText: "Tick what should go. Work that is not safe elsewhere is saved first, always.",
  worktree: "Worktree",
  branch: "Branch",
  branchNote: (name: string) => `${name}. Only where it is merged or saved.`,
  noBranch: "It has no branch of its own.",
  conversation: "Session and its conversation",
  conversationNote:
    "Removes it from the list. It can no longer be resumed, or its work restored from here.",
  dirty: (n: number) => (n === 1 ? "1 file is not committed" : `${n} files are not committed`),
  more: (n: number) => `and ${n} more`,
  unpushed: (n: number) => (n === 1 ? "1 unpushed commit" : `${n} unpushed commits`),
  copies: (n: number) => (n === 1 ? "1 copied file was changed" : `${n} copied files were changed`),
  ignored: (n: number) =>
    n === 1 ? "1 place that git ignores holds work" : `${n} places that git ignores hold work`,
  ignoredPlace: (path: string, size: string, saved: boolean) =>
    saved ? `${path} · ${size}` : `${path} · ${size} · too large to save: it will be lost`,
  saved: "Saved before removal under",
  clean: "All of it is committed. Nothing would be lost.",
  blocked: "Cannot be removed now",
  remove: "Remove",
  removeSaved: "Save and remove",
  removed: (title: string) => `${title}: worktree removed`,
  removedSaved: (files: number) =>
    files === 1 ? "1 file was saved." : `${files} files were saved.`,
  removedBranch: (name: string) => `Branch ${name} was deleted.`,
  undo: "Undo",
  restored: (title: string) => `${title}: work restored`,
  back: (title: string) => `${title}: worktree is back`,
  restoreFailed: "Could not make the worktree again",
  restoreTitle: (title: string) => `Restore work of “${title}”`,
  restoreText: "Makes the worktree again, with its branch and the uncommitted files as they were.",
  restore: "Restore",
  backups: "Saved work",
  backupFiles: (n: number) => (n === 1 ? "1 uncommitted file" : `${n} uncommitted files`),
  noBackups: "There is no saved work of this session.",
  endedTitle: (n: number) => (n === 1 ? "Remove 1 ended session" : `Remove ${n} ended sessions`),
  endedText:
    "They are removed from the list with their worktrees, and can no longer be resumed. Branches stay. Whatever holds unsaved work is kept.",
  endedConfirm: (n: number) => (n === 1 ? "Remove it" : `Remove ${n}`),
  endedProgress: (done: number, all: number) => `${done} of ${all}`,
  endedRemoved: (n: number) =>
    n === 1 ? "1 ended session was removed" : `${n} ended sessions were removed`,
  endedKept: (n: number) => (n === 1 ? "1 is kept:" : `${n} are kept:`),
  endedStill: (n: number) =>
    n === 1 ? "1 is kept: it holds unsaved work." : `${n} are kept: they hold unsaved work.`,
  endedNone: "No session here has ended.",
  keptSaved: "Its saved work can still be restored.",
  look: "Open",
  close: "Close",
  renameTitle: "Rename session",
  renameLabel: "Title",
  renameNote: (name: string) => `Its name for commands stays ${name}.`,
  rename: "Rename",
};
