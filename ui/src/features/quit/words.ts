// Texts for quitting while sessions live or programs run in shells.
export const words = {
  title: "Quit Downbeat?",
  text: (sessions: number, shells: number) =>
    [sessions > 0 && words.alive(sessions), shells > 0 && words.runsIn(shells)]
      .filter(Boolean)
      .join(" "),
  alive: (n: number) =>
    n === 1 ? "1 session is still running." : `${n} sessions are still running.`,
  runsIn: (n: number) =>
    n === 1 ? "A program is running in a shell." : `Programs are running in ${n} shells.`,
  keep: "Keep running in the background",
  keepText: "Agents keep working, and everything is here when you open Downbeat again.",
  stop: "Stop all sessions",
  stopText: "Each ends gracefully and can be resumed. Shells end too. Worktrees stay.",
  cancel: "Cancel",
  quit: "Quit",
};
