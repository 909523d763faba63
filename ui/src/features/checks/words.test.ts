import { expect, test } from "vitest";
import type { CheckResult, Verification } from "~/wire/types";
import { hasFailures, outcomeOf, words } from "./words";

const check = (more: Partial<CheckResult> = {}): CheckResult => ({
  name: "test",
  command: "npm test",
  required: true,
  outcome: "failed",
  exitCode: 1,
  millis: 0,
  excerpt: "",
  ...more,
});

const result = (checks: CheckResult[], error: string | null = null) =>
  ({ checks, error }) as Verification;

test("every outcome has its words", () => {
  expect(outcomeOf(check())).toBe("exit code 1");
  expect(outcomeOf(check({ exitCode: null }))).toBe("ended by a signal");
  expect(outcomeOf(check({ outcome: "timedOut" }))).toBe("time limit reached");
  expect(outcomeOf(check({ outcome: "tooManyProcesses" }))).toBe("too many processes");
  expect(outcomeOf(check({ outcome: "notStarted" }))).toBe("could not be started");
  expect(outcomeOf(check({ outcome: "passed" }))).toBe("passed");
});

test("the place in the queue stands without its reason", () => {
  const waits = "2nd in the queue of main: waits for login: is tried again";
  expect(words.place(waits)).toBe("2nd in the queue of main");
});

test("only failures of required checks can be sent", () => {
  expect(hasFailures(null)).toBe(false);
  expect(hasFailures(result([check({ required: false })]))).toBe(false);
  expect(hasFailures(result([check({ outcome: "passed" })]))).toBe(false);
  expect(hasFailures(result([check({ outcome: "timedOut" })]))).toBe(true);
  expect(hasFailures(result([check()], "no room"))).toBe(false);
});
