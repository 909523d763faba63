// What is said about sessions.
import { bytes, count } from "~/features/app/words";
import type { ProcessUsage, Role } from "~/wire/types";

/** The one name of the action, on every button and entry for it. */
export function killName(role: Role): string {
  return role === "worker" ? "Kill Worker" : "Kill session";
}

export const words = {
  open: "Open",
  answer: "Answer",
  write: "Send…",
  rename: "Rename…",
  resume: "Resume",
  retry: "Retry set-up",
  startAnyway: "Start anyway",
  stop: "Stop",
  killWorkers: "Kill all workers…",
  removeEnded: "Remove ended workers…",
  newWorker: "New worker…",
  remove: "Remove worktree…",
  restore: "Restore saved work…",
  forget: "Take off the list",
  copyBranch: "Copy branch name",
  copyPath: "Copy workspace path",
  copied: "Copied",
  copyFailed: "Could not copy",
  pause: {
    pause: "Pause",
    title: "Paused",
    over: "Over budget",
    goOn: "Go on",
    failed: "Could not pause the session",
  },
  limit: {
    title: "Usage limit",
    now: "Go on now",
    byItself: "Go on by itself",
    not: "Don't go on by itself",
    failed: "Could not change how the session goes on",
    until: (time: string) => `Messages wait until ${time}.`,
    goesOnAt: (time: string) => `Goes on by itself at ${time}.`,
    goesOn: "Goes on now.",
    unknown: "The agent did not say until when. Messages go through: one shows whether it is over.",
  },
  once: "Runs its task once, and takes no messages. Resume it afterwards to go on.",
  resumeFailed: "Could not resume the session",
  setupFailed: "Could not go on after set-up",
  stopFailed: "Could not stop the session",
  stopAllFailed: "Could not stop the sessions",
  stopped: (n: number) => (n === 1 ? "1 session stopped" : `${n} sessions stopped`),
  stoppedText: "Each can be resumed where it was.",
  forgetFailed: "Could not take the session off the list",
  roles: { conductor: "Conductor", worker: "Worker", session: "Session" },
  clearFailed: "Could not clear the status",
  why: {
    title: "Why this status",
    press: "Press to see why",
    facts: "What was seen, newest first",
    asking: "…",
    none: "Nothing was seen yet.",
    usage: (usage: ProcessUsage) =>
      `${count(usage.processes, "process", "processes")}, ${bytes(usage.bytes)}`,
    wrong: "Is this wrong?",
    clear: "Clear status",
  },
  spawn: {
    title: "Starting",
    queued: "Queued",
    queuedText: "It starts by itself as soon as a running session ends.",
    steps: {
      checkout: "Check out",
      copy: "Copy files",
      setup: "Set up",
      start: "Start agent",
    } as Record<string, string>,
    states: {
      waiting: "waiting",
      running: "running",
      done: "done",
      skipped: "skipped",
      failed: "failed",
    },
  },
};
