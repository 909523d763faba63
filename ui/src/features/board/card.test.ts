// What a card says of its session.
import { expect, test } from "vitest";
import type { SessionPull, SessionReview, SessionSummary } from "~/wire/types";
import { approvalBadge, doneBadge, lineOf, sinceOf } from "./card";

function made(more: Partial<SessionSummary>): SessionSummary {
  return {
    status: "idle",
    column: "inReview",
    activity: "idle",
    statusEvidence: { source: "hook", detail: "Stop hook", at: "2026-01-01T10:00:00Z" },
    statusSince: "2026-01-01T10:00:00Z",
    lastActivityAt: "2026-01-01T11:00:00Z",
    attention: null,
    mergeState: null,
    checksState: null,
    reason: null,
    question: null,
    error: null,
    currentTask: null,
    exitCode: null,
    done: null,
    review: null,
    stuck: null,
    tools: null,
    limit: null,
    paused: null,
    pulls: [],
    lifecycle: null,
    ...more,
  } as SessionSummary;
}

const open = (more: Partial<SessionPull>) =>
  ({ state: "open", stage: "pr_open", reason: { kind: "draft" }, ...more }) as SessionPull;
const needs = { kind: "question", why: "asks", since: "2026-01-01T09:00:00Z" } as const;
const done = { state: "said", text: "said done: its checks have not run", at: "" } as const;
const review = (more: Partial<SessionReview>) =>
  ({
    verdict: "approved",
    isOutdated: false,
    text: "approved by you at 8c1e0d9a",
    ...more,
  }) as SessionReview;
const verified = { state: "verified", text: "verified: 2 checks on 8c1e0d9a", at: "" } as const;

test.each<[string, Partial<SessionSummary>, string, string | null]>([
  ["a finished turn", {}, "Finished its turn", null],
  ["a question", { status: "waiting", column: "needsYou", attention: needs }, "asks", "need"],
  [
    "a failed set-up",
    { status: "setup_failed", column: "needsYou", attention: needs, error: "npm ci failed" },
    "npm ci failed",
    "bad",
  ],
  [
    "work",
    { status: "running", column: "working", currentTask: "Writing tests" },
    "Writing tests",
    null,
  ],
  ["work without a word", { status: "running", column: "working" }, "Running", null],
  [
    "a queued start",
    {
      status: "queued",
      column: "working",
      reason: { kind: "queued", text: "next in line", until: null },
    },
    "Queued: next in line",
    null,
  ],
  ["checks", { column: "working", checksState: "running" }, "Checks run", null],
  ["failed checks", { checksState: "red" }, "Checks failed", "bad"],
  ["a draft", { pulls: [open({})] }, "Draft", null],
  [
    "failed checks of a pull request",
    { pulls: [open({ stage: "ci_failed", reason: { kind: "checksFailed", names: ["test"] } })] },
    "Checks failed: test",
    "bad",
  ],
  ["done as it says", { done }, "Said done: its checks have not run", null],
  [
    "verified work",
    { column: "readyToMerge", done: verified },
    "Verified: 2 checks on 8c1e0d9a",
    "work",
  ],
  ["checked work", { column: "readyToMerge", checksState: "green" }, "Checks passed", "work"],
  ["a merge under way", { column: "readyToMerge", mergeState: "underWay" }, "Merging…", "ready"],
  ["a conflict", { mergeState: "conflict" }, "Conflicts with its base", "bad"],
  ["approved work", { review: review({}) }, "Approved by you at 8c1e0d9a", null],
  [
    "requested changes",
    { done, review: review({ verdict: "changesRequested", text: "changes requested by you" }) },
    "Changes requested by you",
    "need",
  ],
  [
    "approved work without checks",
    { column: "readyToMerge", review: review({}) },
    "Approved by you at 8c1e0d9a",
    "work",
  ],
  ["an outdated approval", { review: review({ isOutdated: true }) }, "Finished its turn", null],
  ["landed work", { column: "done", mergeState: "landed" }, "Merged", null],
  ["a crash", { column: "done", status: "exited", exitCode: 137 }, "Exited with 137", "bad"],
])("%s", (_, session, text, tone) => {
  expect(lineOf(made(session), 0)).toEqual({ text, tone });
});

test("what is done is not said twice", () => {
  const alone = made({ done });
  expect(doneBadge(alone, lineOf(alone, 0))).toBeNull();
  const pulled = made({ done: verified, pulls: [open({})] });
  expect(doneBadge(pulled, lineOf(pulled, 0))).toBe("verified");
});

test("the time is that of the last activity at work, and else since when it waits", () => {
  expect(sinceOf(made({ status: "running" }))).toBe("2026-01-01T11:00:00Z");
  expect(sinceOf(made({}))).toBe("2026-01-01T10:00:00Z");
  expect(sinceOf(made({ attention: needs }))).toBe(needs.since);
});

test("what is snoozed says until when, and asks for nothing", () => {
  const line = lineOf(made({ column: "working", snoozedUntil: "2026-03-02T15:04:00Z" }), 0);
  expect(line.tone).toBeNull();
  expect(line.text).toMatch(/^Snoozed until /);
});

test("an approval is a badge beside a line that says something else", () => {
  const alone = made({ review: review({}) });
  expect(approvalBadge(alone, lineOf(alone, 0))).toBeNull();
  const both = made({ column: "readyToMerge", done: verified, review: review({}) });
  expect(approvalBadge(both, lineOf(both, 0))).toBe("approved");
  const late = made({ review: review({ isOutdated: true }) });
  expect(approvalBadge(late, lineOf(late, 0))).toBe("outdated");
  const requested = made({ status: "running", review: review({ verdict: "changesRequested" }) });
  expect(approvalBadge(requested, lineOf(requested, 0))).toBeNull();
});
