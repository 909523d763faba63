import { expect, test } from "vitest";
import type { SessionPull, StageReason } from "~/wire/types";
import { reasonOf, shownOf, stateOf, tally, toneOf } from "./words";

const pull = (more: Partial<SessionPull> = {}) =>
  ({
    number: 1,
    state: "open",
    stage: "mergeable",
    reason: { kind: "ready" },
    passed: 2,
    failed: 0,
    pending: 0,
    unresolved: 0,
    ...more,
  }) as SessionPull;

test("every reason says what is missing", () => {
  const rows: [StageReason, string][] = [
    [{ kind: "checksFailed", names: ["test", "lint"] }, "Checks failed: test, lint"],
    [{ kind: "checksPending", names: [] }, "Checks have not started"],
    [{ kind: "changesRequested", by: ["ada"] }, "Changes requested by ada"],
    [{ kind: "conflicts" }, "Conflicts with its base"],
    [{ kind: "ready" }, "Ready to merge"],
  ];
  for (const [reason, expected] of rows) expect(reasonOf(reason)).toBe(expected);
});

test("a merged or closed pull request is nothing else", () => {
  const merged = pull({ state: "merged", stage: "ci_failed" });
  expect([stateOf(merged), toneOf(merged)]).toEqual(["Merged", "accent"]);
  const closed = pull({ state: "closed", stage: "ci_failed" });
  expect([stateOf(closed), toneOf(closed)]).toEqual(["Closed", "idle"]);
});

test("checks and open comments are counted", () => {
  expect(tally(pull())).toBe("2 checks passed");
  expect(tally(pull({ failed: 1, pending: 1, unresolved: 1 }))).toBe(
    "2 of 4 checks passed · 1 open comment",
  );
  expect(tally(pull({ passed: 0 }))).toBe("");
});

test("the place in the merge queue of the forge is said", () => {
  expect(tally(pull({ isQueued: true }))).toBe("2 checks passed · in the merge queue");
  expect(tally(pull({ isQueued: true, queuePlace: 2 }))).toBe(
    "2 checks passed · in the merge queue, place 2",
  );
});

test("a row shows an open pull request rather than a newer closed one", () => {
  const [open, closed] = [pull({ number: 1 }), pull({ number: 2, state: "closed" })];
  expect(shownOf([open, closed])).toBe(open);
  expect(shownOf([closed])).toBe(closed);
  expect(shownOf([])).toBe(null);
});
