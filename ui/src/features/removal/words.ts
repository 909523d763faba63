// Texts shown before and after something is ended or removed.
export const words = {
  cancel: "Cancel",
  killTitle: (name: string, title: string) => `${name} “${title}”?`,
  killText:
    "Ends its whole process tree now. Its worktree, branch and conversation stay, and it can be resumed.",
  killShellText:
    "Ends the shell and everything it runs. Its worktree and branch stay, and a new shell can be started there.",
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
  removeText: "Choose what to remove. Work that exists only here is always saved first.",
  worktree: "Worktree",
  branch: "Branch",
  branchNote: (name: string) => `${name}. Only if it is merged or saved.`,
  noBranch: "It has no branch of its own.",
  conversation: "Session and its conversation",
  conversationNote:
    "Removes it from the list. It can then no longer be resumed, and its work can no longer be restored here.",
  dirty: (n: number) => (n === 1 ? "1 uncommitted file" : `${n} uncommitted files`),
  more: (n: number) => `and ${n} more`,
  unpushed: (n: number) => (n === 1 ? "1 unpushed commit" : `${n} unpushed commits`),
  copies: (n: number) => (n === 1 ? "1 copied file was changed" : `${n} copied files were changed`),
  ignored: (n: number) =>
    n === 1 ? "1 path that git ignores contains work" : `${n} paths that git ignores contain work`,
  ignoredPlace: (path: string, size: string, saved: boolean) =>
    saved ? `${path} · ${size}` : `${path} · ${size} · too large to save: it will be lost`,
  saved: "Saved before removal under",
  clean: "Everything is committed. Nothing will be lost.",
  blocked: "Cannot be removed now",
  unreadable: "Git cannot read this worktree, so nothing in it can be saved",
  setAside:
    "Its folder is moved aside unchanged, and you are shown where. Nothing in it is deleted.",
  moveAside: "Move aside",
  remove: "Remove",
  removing: "It is being removed, also if you close this.",
  restoring: "It is being restored, also if you close this.",
  removeSaved: "Save and remove",
  removed: (title: string) => `${title}: worktree removed`,
  removedSaved: (files: number) =>
    files === 1 ? "1 file was saved." : `${files} files were saved.`,
  removedBranch: (name: string) => `Branch ${name} was deleted.`,
  undo: "Undo",
  restored: (title: string) => `${title}: work restored`,
  back: (title: string) => `${title}: worktree recreated`,
  restoreFailed: "Could not recreate the worktree",
  restoreTitle: (title: string) => `Restore work of “${title}”`,
  restoreText: "Recreates the worktree with its branch and its uncommitted files.",
  restore: "Restore",
  backups: "Saved work",
  backupFiles: (n: number) => (n === 1 ? "1 uncommitted file" : `${n} uncommitted files`),
  damaged: "Missing or damaged",
  noBackups: "This session has no saved work.",
  endedTitle: (n: number) => (n === 1 ? "Remove 1 ended session" : `Remove ${n} ended sessions`),
  endedText:
    "Removes them from the list with their worktrees. They can no longer be resumed. Branches stay. Sessions with unsaved work are kept.",
  endedConfirm: (n: number) => (n === 1 ? "Remove it" : `Remove ${n}`),
  progress: (done: number, all: number) => `${done} of ${all}`,
  stop: "Stop here",
  stopping: "Stopping…",
  stopNote: "What is in progress is finished first.",
  unreached: (n: number) =>
    n === 1
      ? "You stopped before the last one."
      : `You stopped before the last ${n}, which are as they were.`,
  endedDoing: "Removing ended sessions",
  endedRemoved: (n: number) =>
    n === 1 ? "1 ended session was removed" : `${n} ended sessions were removed`,
  keptList: (n: number) => (n === 1 ? "1 was left as it is:" : `${n} were left as they are:`),
  kept: (n: number) => (n === 1 ? "1 was left as it is." : `${n} were left as they are.`),
  several: {
    stop: {
      title: (n: number) => (n === 1 ? "Stop 1 session" : `Stop ${n} sessions`),
      text: "Their agents end. Each session can be resumed.",
      confirm: (n: number) => `Stop ${n}`,
      doing: "Stopping sessions",
      done: (n: number) => (n === 1 ? "1 session was stopped" : `${n} sessions were stopped`),
      left: (n: number) =>
        n === 1 ? "1 other has ended already." : `${n} others have ended already.`,
    },
    kill: {
      title: (n: number) => (n === 1 ? "Kill 1 session" : `Kill ${n} sessions`),
      text: "Ends their whole process trees now. Their worktrees, branches and conversations stay.",
      confirm: (n: number) => `Kill ${n}`,
      doing: "Killing sessions",
      done: (n: number) => (n === 1 ? "1 session was killed" : `${n} sessions were killed`),
      left: (n: number) =>
        n === 1 ? "1 other has ended already." : `${n} others have ended already.`,
    },
    archive: {
      title: (n: number) => (n === 1 ? "Archive 1 session" : `Archive ${n} sessions`),
      text: "They leave the list and can be restored from the archive.",
      confirm: (n: number) => `Archive ${n}`,
      doing: "Archiving sessions",
      done: (n: number) => (n === 1 ? "1 session was archived" : `${n} sessions were archived`),
      left: (n: number) => (n === 1 ? "1 other has not ended." : `${n} others have not ended.`),
    },
    remove: {
      title: (n: number) => (n === 1 ? "Remove 1 session" : `Remove ${n} sessions`),
      text: "Their worktrees and their places on the list are removed. Those with unsaved work are kept.",
      confirm: (n: number) => `Remove ${n}`,
      doing: "Removing sessions",
      done: (n: number) => (n === 1 ? "1 session was removed" : `${n} sessions were removed`),
      left: (n: number) => (n === 1 ? "1 other has not ended." : `${n} others have not ended.`),
    },
  },
  stopAllTitle: "Stop all sessions",
  stopAll: "Stop all",
  stopAllFailed: "Could not stop the shells",
  stopsShells: (n: number) =>
    n === 1 ? "A program in 1 shell ends, too." : `Programs in ${n} shells end, too.`,
  endedNone: "There are no ended sessions here.",
  keptSaved: "Its saved work can still be restored.",
  look: "Open",
  close: "Close",
  renameTitle: "Rename session",
  renameLabel: "Title",
  renameNote: (name: string) => `Its name in commands stays ${name}.`,
  rename: "Rename",
};
