// The words of the changes of a session.
import type { ChangeMark, FileChange, NotShown, ReviewVerdict } from "~/wire/types";

export { shown } from "~/state/text/shown";

export const MARKS: Readonly<Record<ChangeMark, { letter: string; word: string; tone: string }>> = {
  added: { letter: "A", word: "Added", tone: "work" },
  modified: { letter: "M", word: "Modified", tone: "need" },
  deleted: { letter: "D", word: "Deleted", tone: "bad" },
  renamed: { letter: "R", word: "Renamed", tone: "review" },
  copied: { letter: "C", word: "Copied", tone: "review" },
  typeChanged: { letter: "T", word: "Type changed", tone: "need" },
  conflict: { letter: "!", word: "Conflict", tone: "bad" },
  untracked: { letter: "U", word: "Not added to git", tone: "work" },
};

const NOT_SHOWN: Readonly<Record<NotShown, { title: string; text: string }>> = {
  binary: { title: "Binary file", text: "Its lines cannot be shown." },
  tooLarge: { title: "Too large to show", text: "The file has more than 16 MB." },
  submodule: { title: "A repository of its own", text: "Its files are not shown here." },
  unchanged: { title: "No longer changed", text: "The file is now as it was." },
};

const files = (count: number) => (count === 1 ? "1 file" : `${count} files`);

export const words = {
  tab: "Changes",
  none: "No changes yet",
  noneText: "What the agent changes in its worktree appears here, committed or not.",
  noneIn: "Nothing in this selection",
  noneInText: "Choose “All changes” to see everything since the base.",
  failed: "The changes cannot be read",
  retry: "Try again",
  refresh: "Read again",
  scope: "Show",
  all: "All changes",
  committed: "Committed",
  uncommitted: "Uncommitted",
  turn: "Last turn",
  layout: "Layout",
  unified: "Unified",
  split: "Side by side",
  space: "Ignore white space",
  find: "Find in this file",
  tree: "Changed files",
  filter: "Filter files",
  viewed: "Viewed",
  markViewed: "Mark as viewed",
  comment: "Comment",
  commentOn: (path: string, line: number) => `Comment on ${path}:${line}`,
  add: "Add comment",
  cancel: "Cancel",
  review: (count: number) => (count === 1 ? "1 comment" : `${count} comments`),
  reviewBar: "Review",
  summary: "Summary for the agent",
  summaryHint: "Say something about the work as a whole",
  send: "Send comments",
  discard: "Discard",
  discardAll: "Discard comments",
  request: "Request changes",
  approve: "Approve",
  you: "you",
  conductor: "its conductor",
  unread: "Resume the session first: nobody reads the review",
  nothingCommitted: "Nothing of its own is committed yet",
  notReviewed: {
    approved: (title: string) => `${title} was not approved`,
    changesRequested: (title: string) => `No changes were requested of ${title}`,
  } satisfies Record<ReviewVerdict, (title: string) => string>,
  open: "Open in editor",
  workspace: "The workspace",
  opened: (name: string, editor: string) => `${name} opens in ${editor}`,
  notOpened: (name: string) => `${name} was not opened in an editor`,
  discardFile: "Discard the changes of this file",
  discardHunk: "Discard hunk",
  discarded: (name: string) => `Discarded the change of ${name}`,
  discardedHunk: (name: string) => `Discarded a hunk of ${name}`,
  notDiscarded: (name: string) => `The change of ${name} was not discarded`,
  undo: "Undo",
  undoLater: (session: string, number: number) =>
    `To undo it later: downbeat discard ${session} --undo ${number}`,
  notUndone: (name: string) => `The change of ${name} was not brought back`,
  sent: "Sent to the agent's queue",
  notSent: (title: string) => `The comments were not sent to ${title}`,
  conflict: "A merge left conflicts in this file.",
  lossy: "Not UTF-8: bytes that cannot be shown are replaced.",
  cut: "Very long lines are cut.",
  before: "Before",
  after: "After",
  absent: "No file",
  onlyMode: "Only the mode changed",
  onlySpace: "Only white space changed",
  emptyFile: "An empty file",
  onlyName: "Only the name changed",
  loading: "Reading…",
  more: "The list ends at 3,000 files.",
  viewedOf: (viewed: number, all: number) => `${viewed} of ${files(all)} viewed`,
  notShown: (why: NotShown) => NOT_SHOWN[why],
  turnEnd: (number: number) => `Since turn ${number}`,
};

/** `+12 −3`, or why there are no numbers. */
export function numbers(file: Pick<FileChange, "added" | "removed" | "isSubmodule">): string {
  if (file.isSubmodule) return "repository";
  if (file.added === null || file.removed === null) return "binary";
  return `+${file.added} −${file.removed}`;
}
