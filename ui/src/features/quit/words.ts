// What is asked when the person quits while sessions live.
export const words = {
  title: "Quit Downbeat?",
  text: (n: number) => (n === 1 ? "1 session is still alive." : `${n} sessions are still alive.`),
  keep: "Go on without a window",
  keepText: "Agents work on, and everything is here when you open Downbeat again.",
  stop: "Stop all sessions",
  stopText: "Each ends gracefully and can be resumed. Worktrees stay.",
  cancel: "Cancel",
  quit: "Quit",
};
