// Texts about the checks of a session's work.
import { count } from "~/state/text/words";
import type { CheckResult, ChecksState, MergeOutcome, Verification } from "~/wire/types";

export const words = {
  title: "Checks",
  run: "Run checks",
  again: "Run again",
  cancel: "Cancel run",
  send: "Send to agent",
  sent: "The failures were queued as a message",
  output: "Show output",
  review: "Review checks…",
  unapproved: "You have not approved this project's checks.",
  none: "Not run yet.",
  failed: "Could not run the checks",
  cancelFailed: "Could not cancel the run",
  sendFailed: "Could not send the failures",
  outputFailed: "Could not read the output",
  states: {
    waiting: "Waiting",
    running: "Running",
    green: "Passed",
    red: "Failed",
    error: "Not run",
  } satisfies Record<ChecksState, string>,
  checkOf: (number: number, of: number) => `${number} of ${of}`,
  on: "on",
  uncommitted: (files: number) => `Not checked: ${count(files, "uncommitted file")}.`,
  merge: "Merge",
  mergeInto: (branch: string) => `Merge into ${branch}`,
  mergePull: (number: number, branch: string) => `Merge #${number} into ${branch}`,
  mergeWhenReady: (number: number) => `Merge #${number} when ready`,
  mergeOtherwise: "Other ways to merge",
  strategies: {
    squash: "As one commit",
    merge: "With a merge commit",
    rebase: "Commit by commit, on top of the branch",
  },
  mergeTitle: "Merge",
  merging: "Merging…",
  mergeWaits: "Waits for the checks and merges of other sessions.",
  mergeFailed: "Could not merge the work",
  cancelMerge: "Cancel merge",
  mergeSooner: "Merge sooner",
  mergeAnyOrder: "Merge now",
  mergeAnyOrderTip: "Does not wait for the work in other projects that the plan needs first",
  soonerFailed: "Could not change the order",
  /** A short form of a sentence such as `2nd in the queue of main: waits for the checks of cart`. */
  place: (waits: string) => waits.split(":")[0] ?? waits,
  outcomes: {
    landed: "Landed",
    contained: "Nothing to merge",
    conflict: "Conflict",
    checksFailed: "Checks failed",
    refused: "Not merged",
    queued: "Queued at the forge",
  } satisfies Record<MergeOutcome, string>,
  sentTimes: (times: number) =>
    times === 1 ? "Sent to the agent once." : `Sent to the agent ${times} times.`,
};

/** Returns how a check ended, in words. */
export function outcomeOf(check: CheckResult): string {
  switch (check.outcome) {
    case "passed":
      return "passed";
    case "failed":
      return check.exitCode === null ? "ended by a signal" : `exit code ${check.exitCode}`;
    case "timedOut":
      return "time limit reached";
    case "tooManyProcesses":
      return "too many processes";
    case "notStarted":
      return "could not be started";
  }
}

/** Whether a check made the whole run fail. */
export function blocks(check: CheckResult): boolean {
  return check.required && check.outcome !== "passed";
}

/** Whether failures of a result can be sent to an agent. */
export function hasFailures(last: Verification | null): boolean {
  return last !== null && last.error === null && last.checks.some(blocks);
}
