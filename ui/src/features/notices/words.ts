// Texts of the list of notices.
export const words = {
  title: "Notices",
  bell: (unread: number) => (unread === 0 ? "Notices" : `Notices, ${unread} unread`),
  readAll: "Mark all as read",
  readFailed: "Could not mark notices as read",
  none: "No notices yet",
  noneText:
    "When a session asks, finishes or ends unexpectedly, or a plan needs you, it appears here.",
  unread: "unread",
  earlier: (n: number) => `${n} earlier`,
  kinds: {
    needsInput: "needs input",
    finished: "finished",
    exited: "exited",
    failed: "failed",
    needsLook: "needs a look",
    raised: "wants your attention",
    test: "was tested",
  },
};
