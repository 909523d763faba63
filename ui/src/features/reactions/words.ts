// Texts about what happens by itself.
import { clockTime } from "~/state/text/time";
import { capital } from "~/wire/sentence";
import type { ReactionControl, ReactionState } from "~/wire/types";

export const words = {
  title: "What happens by itself",
  pause: "Pause: nothing happens by itself",
  resume: "Paused. Resume",
  paused: "Paused. What is new is done once you resume.",
  pauseFailed: "Could not pause",
  controlFailed: "Could not change it",
  menu: (rule: string) => `Actions for ${eventOf(rule)}`,
  done: {
    run: "It is done now",
    skip: "What is new is skipped",
    off: "Switched off for this session",
    on: "Switched on again",
  } satisfies Record<ReactionControl, string>,
  controls: {
    run: "Do it now",
    skip: "Skip what is new",
    off: "Switch off for this session",
    on: "Switch on again",
  } satisfies Record<ReactionControl, string>,
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

/** Returns what a rule reacts to, in a word or two. */
export function eventOf(rule: string): string {
  return EVENTS[rule] ?? rule;
}

/** The events that rules react to. */
const EVENTS: Record<string, string> = {
  "ci-failed": "Failed checks",
  "changes-requested": "Comments",
  "bugbot-comments": "Bot comments",
  "merge-conflicts": "Conflict",
  "approved-and-green": "Ready to merge",
  "label-added": "Label",
  "pr-opened": "Opened",
  "pr-closed": "Closed",
  "pr-merged": "Merged",
  "agent-stuck": "Stuck",
  "agent-needs-input": "Asks",
  "agent-exited": "Ended",
  "agent-idle": "Idle",
  "usage-limit": "Usage limit",
  "budget-reached": "Budget",
  "checks-failed": "Failed checks",
  "checks-passed": "Checks passed",
  "all-complete": "All complete",
};
