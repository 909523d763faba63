// Texts about sessions.
import { bytes, count } from "~/state/text/words";
import type { ProcessUsage, Role } from "~/wire/types";

/** Returns the one name of the kill action, for every button and entry. */
export function killName(role: Role): string {
  return role === "worker" ? "Kill worker" : "Kill session";
}

export const words = {
  open: "Open",
  pin: "Pin to the top of its project",
  unpin: "Unpin",
  issue: (text: string) => `Issue ${text}`,
  answer: "Answer",
  write: "Send…",
  details: "Show details",
  copied: "Copied",
  copyFailed: "Could not copy",
  pause: {
    title: "Paused",
    over: "Over budget",
    goOn: "Continue",
    failed: "Could not pause the session",
  },
  noProgress: { goOn: "Let it go on" },
  limit: {
    title: "Usage limit",
    now: "Continue now",
    byItself: "Continue automatically",
    not: "Don't continue automatically",
    failed: "Could not change how the session continues",
    until: (time: string) => `Messages wait until ${time}.`,
    goesOnAt: (time: string) => `Continues automatically at ${time}.`,
    goesOn: "Continues now.",
    unknown: "The agent did not say when the limit resets. Send a message to check whether it has.",
  },
  snooze: {
    title: "Snooze",
    tip: "Puts it off; something newer is shown at once",
    halfAnHour: "For 30 minutes",
    hour: "For 1 hour",
    fourHours: "For 4 hours",
    tomorrow: "Until tomorrow, 09:00",
    failed: "Could not snooze the session",
    done: (title: string, time: string) => `${title}: snoozed until ${time}`,
    undo: "Undo",
    list: (n: number) => `${n} snoozed`,
    until: (time: string) => `until ${time}`,
    end: "Show now",
    forHour: "Snooze for 1 hour",
    endNow: "End snooze",
  },
  once: "Runs its task once and takes no messages. Resume it afterwards to continue.",
  resumeFailed: "Could not resume the session",
  setupFailed: "Could not continue after set-up",
  stopFailed: "Could not stop the session",
  forgetFailed: "Could not remove the session from the list",
  roles: { conductor: "Conductor", worker: "Worker", session: "Session" },
  clearFailed: "Could not clear the status",
  why: {
    title: "Why this status",
    press: "Click to see why",
    facts: "Observations, newest first",
    tools: "Its agent has not loaded Downbeat's tools, so it cannot spawn workers or report.",
    asking: "…",
    none: "No observations yet.",
    usage: (usage: ProcessUsage) =>
      `${count(usage.processes, "process", "processes")}, ${bytes(usage.bytes)}`,
    wrong: "Is this wrong?",
  },
  spawn: {
    title: "Starting",
    queued: "Queued",
    queuedText: "It starts automatically when a running session ends.",
    cancel: "Cancel",
    cancelFailed: "Could not cancel the session",
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
