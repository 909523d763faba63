// @vitest-environment node
import { expect, test } from "vitest";
import type { Step } from "~/wire/types";
import { stepName, stepTime, wasMade } from "./spawn";

const step = (more: Partial<Step>): Step => ({
  name: "setup",
  state: "running",
  detail: "npm ci",
  startedAt: "2026-01-01T00:00:00Z",
  milliseconds: null,
  ...more,
});
const at = (seconds: number) => Date.parse("2026-01-01T00:00:00Z") + seconds * 1000;

test("a step shows how long it took, or has been running", () => {
  expect(stepTime(step({ state: "done", milliseconds: 340 }), at(9))).toBe("340 ms");
  expect(stepTime(step({}), at(4.9))).toBe("4 s");
  expect(stepTime(step({}), at(0.2))).toBe("");
  expect(stepTime(step({ state: "waiting", startedAt: null }), at(9))).toBe("");
});

test("a worktree counts as made once its checkout was done", () => {
  expect(wasMade({ steps: [step({ name: "checkout", state: "done" })] })).toBe(true);
  expect(wasMade({ steps: [step({ name: "checkout" })] })).toBe(false);
  expect(wasMade({ steps: [] })).toBe(false);
});

test("steps have readable names; unknown steps keep theirs", () => {
  expect(stepName(step({}))).toBe("Set up");
  expect(stepName(step({ name: "teleport" }))).toBe("teleport");
});
