// Texts about projects and adding them.
import type { FolderKind } from "~/wire/types";

export const words = {
  add: "Add project",
  addFolder: "A folder in a git repository",
  path: "Folder",
  pathHint:
    "A full path, or a path that starts with ~/. From a folder inside a repository, Downbeat finds the root.",
  browse: "Browse…",
  checking: "Checking…",
  trust: "Trust this project?",
  trustText:
    "If you trust it, agents start in its worktrees without asking each time. Trust only code whose authors you trust.",
  trustYes: "Yes, trust it",
  trustNo: "No, ask each time",
  make: {
    repository: {
      button: "Run git init here",
      text: "Your files are not changed and not committed, so worktrees start without them.",
    },
    firstCommit: {
      button: "Create a first commit",
      text: "The commit is empty. Your files and staged changes stay as they are, so worktrees start without them.",
    },
  },
  addFailed: "Could not add the project",
  added: (name: string) => `${name} was added`,
  openExisting: "Show project",
  kinds: {
    repository: "Ready to add",
    plainFolder: "Not a repository yet",
    noCommits: "No commits yet",
    bare: "Bare repository",
    missing: "Folder not found",
    notAFolder: "Not a folder",
    alreadyAdded: "Already added",
    unreadable: "Cannot be read",
  } satisfies Record<FolderKind, string>,
  cancel: "Cancel",
  newSession: "New session…",
  trustTitle: (name: string) => `Trust ${name}?`,
  trusted: (name: string) => `${name} is trusted`,
  trustedText: "Agents start in its worktrees without asking.",
  untrusted: (name: string) => `Agents in ${name} ask before they start`,
  trustState: (trusted: boolean) => (trusted ? "Trusted" : "Agents ask before they start"),
  removeEnded: "Remove all ended sessions…",
  heldTitle: (name: string) => `${name} cannot be removed yet`,
  heldText: "Removing a project deletes no files, so remove its sessions first.",
  heldLive: (n: number) => (n === 1 ? "1 session is running" : `${n} sessions are running`),
  heldWorktrees: (n: number) =>
    n === 1 ? "1 ended session has a worktree" : `${n} ended sessions have a worktree`,
  names: (some: readonly string[], more: number) =>
    some.join(", ") + (more > 0 ? ` and ${more} more` : ""),
  stopThem: (n: number) => (n === 1 ? "Stop it" : "Stop them"),
  stopFailed: "Could not stop the sessions",
  removeThem: "Remove ended…",
  trustOn: "Trust agents here…",
  trustOff: "Ask before agents start",
  trustFailed: "Could not change the project",
  move: "The folder was moved…",
  moveTitle: (name: string) => `Where is ${name} now?`,
  moveText:
    "Points Downbeat to the repository's new folder and updates its worktrees to match. No files are moved.",
  moveFrom: "Last known folder",
  movePath: "New folder",
  moveHint: "It must be the same repository. Add a clone or a copy as a separate project.",
  moveConfirm: "Use this folder",
  moved: (name: string) => `${name} now uses its new folder`,
  copyPath: "Copy path",
  remove: "Remove project…",
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText:
    "Removes the project from the list. Its folder, branches and saved work stay where they are.",
  removeEnds: (programs: readonly string[]) =>
    `This ends the programs in its sessions' shells: ${programs.join(", ")}.`,
  removeConfirm: "Remove project",
  removeFailed: "Could not remove the project",
  settings: "Project settings",
};
