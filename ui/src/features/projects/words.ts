// Texts about projects and adding them.
import type { FolderKind } from "~/wire/types";

export const words = {
  add: "Add project",
  addFolder: "A folder in a git repository",
  path: "Folder",
  pathHint: "A full path, or one from ~/. A folder inside a repository finds its root.",
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
      text: "Your files stay as they are and are not committed: worktrees begin without them.",
    },
    firstCommit: {
      button: "Make a first commit",
      text: "The commit is empty: what you staged and your files stay as they are, and worktrees begin without them.",
    },
  },
  addFailed: "Could not add the project",
  added: (name: string) => `${name} was added`,
  openExisting: "Show it",
  kinds: {
    repository: "Ready to add",
    plainFolder: "Not a repository yet",
    noCommits: "No commits yet",
    bare: "Bare repository",
    missing: "Nothing there",
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
  heldText: "Nothing is deleted with a project, so its sessions go first.",
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
  moveHint: "It must be the same repository. Add a clone or a copy as a project of its own.",
  moveConfirm: "Use this folder",
  moved: (name: string) => `${name} was pointed to its new folder`,
  copyPath: "Copy path",
  remove: "Remove project…",
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText:
    "Removes the project from the list. Its folder, branches and saved work stay where they are.",
  removeEnds: (programs: readonly string[]) =>
    `This ends what runs in its sessions' shells: ${programs.join(", ")}.`,
  removeConfirm: "Remove project",
  removeFailed: "Could not remove the project",
  settings: "Project settings",
};
