import { expect, test } from "vitest";
import type { ReactionDone, ReactionRule } from "~/wire/types";
import { eventOf } from "./events";
import { controlsOf, endOf, period, reactionOf, ruleOf } from "./words";

const reaction = {
  rule: "ci-failed",
  stands: true,
  says: "",
  notifiedAt: null,
  fresh: 0,
  isOff: false,
};

test("a reaction says when the person is notified, or was", () => {
  const one = { ...reaction, says: "the agent was notified once" };
  const at = "2026-01-01T12:00:00Z";
  const now = Date.parse(at);
  expect(reactionOf({ ...one, notifiedAt: null }, now)).toBe("The agent was notified once.");
  expect(reactionOf({ ...one, notifiedAt: at }, now - 1000)).toMatch(
    /\. You will be notified at .+\./,
  );
  expect(reactionOf({ ...one, notifiedAt: at }, now + 1000)).toMatch(/\. You were notified\.$/);
});

test("a menu has only what would change something", () => {
  expect(controlsOf(reaction)).toEqual(["off"]);
  expect(controlsOf({ ...reaction, fresh: 2 })).toEqual(["run", "skip", "off"]);
  expect(controlsOf({ ...reaction, fresh: 2, isOff: true })).toEqual(["on"]);
});

test("events of the forge and of local checks have different names", () => {
  expect(eventOf("ci-failed")).not.toBe(eventOf("checks-failed"));
  expect(eventOf("of-a-newer-engine")).toBe("of-a-newer-engine");
});

test("a rule says what it does, how often, and when the person is notified", () => {
  const rule = { action: "notify", attempts: null, escalatesAfter: null, threshold: 0 };
  const rows: [Partial<ReactionRule>, string][] = [
    [{}, "Notifies you."],
    [{ action: "merge", attempts: 1 }, "Merges the work, once."],
    [{ threshold: 7200 }, "Notifies you after 2 h."],
    [
      { action: "send-to-agent", attempts: 2, escalatesAfter: 21_600 },
      "Sends a message to the agent, at most 2 times. You are notified if it still stands after 6 h.",
    ],
    [{ action: "of-a-newer-engine" }, "of-a-newer-engine."],
  ];
  for (const [more, said] of rows) expect(ruleOf({ ...rule, ...more } as ReactionRule)).toBe(said);
});

test("durations are said as the configuration says them", () => {
  expect([45, 600, 5400, 7200].map(period)).toEqual(["45 s", "10 min", "90 min", "2 h"]);
});

test("an end says what became of it, its attempt and its exit code", () => {
  const done = { outcome: "done", attempt: 1, exitCode: null } as ReactionDone;
  expect(endOf(done)).toBe("Done");
  expect(endOf({ ...done, outcome: "over", attempt: 2 })).toBe("No longer needed, attempt 2");
  expect(endOf({ ...done, outcome: "failed", exitCode: 1 })).toBe("Failed, exit code 1");
});
