// The events that rules react to, as people read them.
import type { ReactionEvent } from "~/wire/types";

const EVENTS: Record<ReactionEvent, string> = {
  "ci-failed": "Checks failed",
  "changes-requested": "Review comments",
  "bugbot-comments": "Bot comments",
  "merge-conflicts": "Merge conflict",
  "approved-and-green": "Ready to merge",
  "label-added": "Label added",
  "pr-opened": "Pull request opened",
  "pr-closed": "Pull request closed",
  "pr-merged": "Pull request merged",
  "agent-stuck": "Agent stuck",
  "agent-needs-input": "Agent needs input",
  "agent-exited": "Agent exited",
  "agent-idle": "Agent idle",
  "usage-limit": "Usage limit reached",
  "budget-reached": "Budget reached",
  "checks-failed": "Local checks failed",
  "checks-passed": "Local checks passed",
  "all-complete": "All done",
};

const isEvent = (rule: string): rule is ReactionEvent => rule in EVENTS;

/** Returns what a rule reacts to, in a few words. */
export function eventOf(rule: string): string {
  return isEvent(rule) ? EVENTS[rule] : rule;
}
