// What is said about projects and adding them.
import type { FolderKind } from "~/wire/types";

export const words = {
  add: "Add project",
  addFolder: "A folder in a git repository",
  path: "Folder",
  pathHint: "The absolute path. A folder inside a repository finds its root.",
  browse: "Browse…",
  checking: "Looking…",
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
    repository: "Repository",
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
  trustOn: "Trust agents here",
  trustOff: "Ask before agents start",
  trustFailed: "Could not change the project",
  copyPath: "Copy path",
  remove: "Remove project…",
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText:
    "Takes the project off the list. Its folder, branches and saved work stay where they are.",
  removeConfirm: "Remove project",
  removeFailed: "Could not remove the project",
  settings: "Project settings",
};
