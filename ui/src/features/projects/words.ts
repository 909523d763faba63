// What is said about projects and adding them.
import type { FolderKind } from "~/wire/types";

export const words = {
  add: "Add project",
  addFolder: "A folder in a git repository",
  path: "Folder",
  pathHint: "The whole path, or ~/ for your home. A folder inside a repository finds its root.",
  browse: "Browse…",
  checking: "Checking…",
  trust: "Trust this project?",
  trustText:
    "A yes lets agents start in this project's worktrees without asking each time. Say yes only to code whose authors you trust.",
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
  added: (name: string) => `${name} is added`,
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
  heldLive: (n: number) => (n === 1 ? "1 session runs" : `${n} sessions run`),
  heldWorktrees: (n: number) =>
    n === 1 ? "1 ended session keeps a worktree" : `${n} ended sessions keep a worktree`,
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
    "Tells Downbeat the place that the repository was moved to, and leads its worktrees there. No file is moved.",
  movePath: "The repository's folder now",
  moveHint: "It has to be the same repository: another one, or a clone, is a project of its own.",
  moveConfirm: "Use this folder",
  moved: (name: string) => `${name} has its new place`,
  copyPath: "Copy path",
  remove: "Remove project…",
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText:
    "Removes the project from the list. Its folder, branches and saved work stay where they are.",
  removeEnds: (programs: readonly string[]) =>
    `What runs in shells beside its sessions ends: ${programs.join(", ")}.`,
  removeConfirm: "Remove project",
  removeFailed: "Could not remove the project",
  settings: "Project settings",
};
