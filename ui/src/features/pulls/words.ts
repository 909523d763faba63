// Texts about pull requests.
import type { Tone } from "~/kit/tone";
import { count } from "~/state/text/words";
import type { PullCheck, PullCheckState, SessionPull, StageReason } from "~/wire/types";

export const words = {
  title: "Pull request",
  create: "Open pull request…",
  createTitle: "Open pull request",
  createDone: (number: number) => `Pull request #${number} is open`,
  createWas: (number: number) =>
    `Pull request #${number} was open already; new commits were pushed`,
  createNote: (forge: string, base: string) =>
    `Pushes the branch and proposes it for ${base} at ${forge}.`,
  uncommitted: (files: number) => `${count(files, "uncommitted file")} not included.`,
  titleLabel: "Title",
  titleHint: "Leave empty to use what its commits say.",
  bodyLabel: "Description",
  bodyAside: "Markdown",
  draft: "Open as a draft",
  confirm: "Open pull request",
  cancel: "Cancel",
  many: "Pull requests",
  look: "Look again",
  lookFailed: "Could not look at the forge",
  readFailed: "Could not read the pull request",
  details: "Show checks and comments",
  noDetails: "Hide checks and comments",
  optional: "optional",
  menuOf: (number: number) => `Actions for pull request #${number}`,
  menu: {
    edit: "Edit…",
    comment: "Comment…",
    labels: "Labels…",
    reviewers: "Request review…",
    ready: "Mark as ready for review",
    draft: "Convert to draft",
    close: "Close pull request…",
  },
  edit: {
    title: (number: number) => `Edit pull request #${number}`,
    confirm: "Save changes",
    bodyLabel: "New description",
    bodyHint: "Leave empty to keep the current description.",
    baseLabel: "Base branch",
    baseHint: "The branch that it is merged into.",
  },
  comment: {
    title: (number: number) => `Comment on pull request #${number}`,
    label: "Comment",
    confirm: "Comment",
    done: (number: number) => `Commented on #${number}`,
    show: "Open",
  },
  labels: {
    title: (number: number) => `Labels of pull request #${number}`,
    confirm: "Save labels",
    none: "It has no labels.",
    now: "Current labels",
    add: "Add labels",
    hint: "Separate labels with commas.",
  },
  reviewers: {
    title: (number: number) => `Request review of pull request #${number}`,
    confirm: "Request review",
    people: "People",
    peopleHint: "Account names, separated by commas.",
    teams: "Teams",
    done: (number: number) => `Requested a review of #${number}`,
  },
  close: {
    title: (number: number) => `Close pull request #${number}?`,
    text: "It is closed without being merged. Its branch and its commits stay; it can be reopened at the forge.",
    confirm: "Close pull request",
    done: (number: number) => `Closed #${number}`,
  },
  thread: {
    name: (place: string) => (place === "" ? "Thread" : `Thread on ${place}`),
    reply: "Reply",
    placeholder: "Reply…",
    resolve: "Resolve",
    unresolve: "Unresolve",
    resolved: (threads: number) => `Show ${count(threads, "resolved thread")}`,
    hideResolved: "Hide resolved threads",
    earlier: "Earlier comments are on its page",
    beyond: (most: number) =>
      `Up to ${count(most, "older thread")} and comments are only on its page`,
  },
  nothingOpen: "No open comments",
  states: {
    expected: "expected",
    running: "running",
    passed: "passed",
    skipped: "skipped",
    failed: "failed",
    stopped: "cancelled",
  } satisfies Record<PullCheckState, string>,
};

/** Returns what is missing before a pull request can be merged, in a few words. */
export function reasonOf(reason: StageReason): string {
  switch (reason.kind) {
    case "status":
    case "verified":
      return "Open";
    case "merged":
      return "Merged";
    case "closed":
      return "Closed";
    case "checksFailed":
      return `Checks failed: ${reason.names.join(", ")}`;
    case "checksPending":
      return reason.names.length === 0
        ? "Checks have not started"
        : `Checks pending: ${reason.names.join(", ")}`;
    case "changesRequested":
      return reason.by.length === 0
        ? "Changes requested"
        : `Changes requested by ${reason.by.join(", ")}`;
    case "gone":
      return "Not found at the forge: deleted, or not visible to your token (see Settings → Forges)";
    case "denied":
      return `As it was last seen: ${reason.why}`;
    case "conflicts":
      return "Conflicts with its base";
    case "draft":
      return "Draft";
    case "reviewRequired":
      return "Review required";
    case "mergeabilityUnknown":
      return "Waiting for the forge to compute whether it can be merged";
    case "behind":
      return "Behind its base";
    case "ready":
      return "Ready to merge";
  }
}

/** Returns how a pull request is, in a few words. */
export function stateOf(pull: SessionPull): string {
  if (pull.state === "merged") return "Merged";
  if (pull.state === "closed") return "Closed";
  return reasonOf(pull.reason);
}

/** Returns the colour of a pull request. */
export function toneOf(pull: SessionPull): Tone {
  if (pull.state === "merged") return "accent";
  if (pull.state === "closed") return "idle";
  switch (pull.stage) {
    case "ci_failed":
      return "bad";
    case "changes_requested":
      return "need";
    case "review_pending":
      return "review";
    case "mergeable":
      return "ready";
    default:
      return pull.reason.kind === "conflicts" ? "bad" : "idle";
  }
}

/** Returns the sign of a check. */
export function signOf(check: PullCheck): string {
  switch (check.state) {
    case "passed":
      return "✓";
    case "failed":
      return "✕";
    case "skipped":
    case "stopped":
      return "–";
    case "expected":
    case "running":
      return "•";
  }
}

/** Returns how many checks passed, how many comments are open, and the place in the merge queue of the forge. */
export function tally(pull: SessionPull): string {
  const all = pull.passed + pull.failed + pull.pending;
  const parts = [];
  if (all > 0) {
    parts.push(
      pull.passed === all
        ? `${count(all, "check")} passed`
        : `${pull.passed} of ${count(all, "check")} passed`,
    );
  }
  if (pull.unresolved > 0) parts.push(count(pull.unresolved, "open comment"));
  if (pull.isQueued === true) {
    const { queuePlace } = pull;
    parts.push(
      queuePlace === undefined ? "in the merge queue" : `in the merge queue, place ${queuePlace}`,
    );
  }
  return parts.join(" · ");
}

/** Returns the pull request that a row shows: an open one first, the newest of several. */
export function shownOf(pulls: readonly SessionPull[]): SessionPull | null {
  return pulls.findLast(({ state }) => state === "open") ?? pulls.at(-1) ?? null;
}
