// Texts about reactions.
import { clockTime } from "~/state/text/time";
import { capital, sentence } from "~/wire/sentence";
import type { ReactionControl, ReactionDone, ReactionRule, ReactionState } from "~/wire/types";
import { eventOf } from "./events";

export const words = {
  title: "Reactions",
  pause: "Pause reactions",
  resume: "Resume reactions",
  paused: "Paused. New events are handled when you resume.",
  pauseFailed: "Could not pause or resume reactions",
  controlFailed: "Could not change the reaction",
  nothing: "Nothing to react to now.",
  menu: (rule: string) => `Actions for ${eventOf(rule)}`,
  done: {
    run: "Started",
    skip: "New events skipped",
    off: "Switched off for this session",
    on: "Switched on again",
  } satisfies Record<ReactionControl, string>,
  controls: {
    run: "Run now",
    skip: "Skip new events",
    off: "Switch off for this session",
    on: "Switch on again",
  } satisfies Record<ReactionControl, string>,
  history: {
    open: "Show history",
    title: "Reaction history",
    none: "No reactions yet",
    noneText: "Everything that a reaction does about this session is listed here.",
    attempt: (attempt: number) => `attempt ${attempt}`,
    exit: (code: number) => `exit code ${code}`,
    output: "Output",
    close: "Close",
    outcomes: { done: "Done", over: "No longer needed", failed: "Failed" } as Record<
      string,
      string
    >,
  },
  rules: {
    title: (project: string) => `Reactions of ${project}`,
    description: "The rules in effect. Open one to see what it would do, step by step.",
    name: "Rules",
    own: "Built in",
    off: "Only when you run it.",
    approval: "Its command waits for your approval.",
    if: "Only if",
    session: "Simulate for",
    example: "An example session",
    detail: "Label or budget",
    detailHint: "For the events that are about one.",
    nothing: (why: string) => `Nothing would happen: ${why}.`,
    close: "Close",
  },
};

/** Returns what can be done with a rule now, in the order of its menu. */
export function controlsOf(reaction: ReactionState): ReactionControl[] {
  if (reaction.isOff) return ["on"];
  return reaction.fresh > 0 ? ["run", "skip", "off"] : ["off"];
}

/** Says what a rule did and does, and when the person is notified. */
export function reactionOf({ says, notifiedAt }: ReactionState, now: number): string {
  const what = capital(says);
  if (notifiedAt === null) return `${what}.`;
  return Date.parse(notifiedAt) > now
    ? `${what}. You will be notified at ${clockTime(notifiedAt, now)}.`
    : `${what}. You were notified.`;
}

/** What each action does, before its numbers. */
const ACTIONS: Record<string, string> = {
  "send-to-agent": "Sends a message to the agent",
  notify: "Notifies you",
  merge: "Merges the work",
  "auto-merge": "Lets the forge merge it when nothing is missing",
  archive: "Archives the session",
  spawn: "Starts another session",
  run: "Runs a command",
  restart: "Restarts the agent",
  pause: "Pauses the session",
};

/** `30 s`, `10 min`, `2 h`: as the configuration says it. */
export function period(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 || seconds % 3600 !== 0
    ? `${Math.round(seconds / 60)} min`
    : `${seconds / 3600} h`;
}

/** Says what a rule does, how often, and when the person is notified. */
export function ruleOf(rule: ReactionRule): string {
  const parts = [ACTIONS[rule.action] ?? rule.action];
  if (rule.threshold > 0) parts.push(` after ${period(rule.threshold)}`);
  if (rule.attempts !== null && rule.action !== "notify") {
    parts.push(rule.attempts === 1 ? ", once" : `, at most ${rule.attempts} times`);
  }
  const after =
    rule.escalatesAfter === null
      ? ""
      : ` You are notified if it still stands after ${period(rule.escalatesAfter)}.`;
  return `${parts.join("")}.${after}`;
}

/** Says how a reaction ended, with the number of its attempt and the exit code of its command. */
export function endOf({ outcome, attempt, exitCode }: ReactionDone): string {
  const parts = [words.history.outcomes[outcome] ?? outcome];
  if (attempt > 1) parts.push(words.history.attempt(attempt));
  if (exitCode !== null) parts.push(words.history.exit(exitCode));
  return parts.join(", ");
}

/** Returns a sentence that the engine wrote, as one. */
export function told(text: string): string {
  return text === "" ? "" : sentence(capital(text));
}
