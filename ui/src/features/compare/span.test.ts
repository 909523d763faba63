// @vitest-environment node
import { expect, test } from "vitest";
import { spanOf } from "./span";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 9, 0, second)).toISOString();
const base = {
  createdAt: at(0),
  statusSince: at(30),
  lastActivityAt: at(30),
  report: null,
  steps: [],
};
const step = { name: "checkout", state: "done", detail: "", milliseconds: 1 } as const;

test("the time of a session runs from its preparation to its report, its idle state or its end", () => {
  const now = Date.parse(at(50));
  expect(spanOf({ ...base, status: "queued" }, now)).toBeNull();
  expect(spanOf({ ...base, status: "running" }, now)).toEqual({
    milliseconds: 50_000,
    going: true,
  });
  expect(spanOf({ ...base, status: "waiting" }, now)).toEqual({
    milliseconds: 50_000,
    going: true,
  });
  expect(spanOf({ ...base, status: "idle" }, now)).toEqual({ milliseconds: 30_000, going: false });
  const steps = [{ ...step, startedAt: at(10) }];
  expect(spanOf({ ...base, steps, status: "killed" }, now)?.milliseconds).toBe(20_000);
  const later = [{ ...step, startedAt: at(40) }];
  expect(spanOf({ ...base, steps: later, status: "idle" }, now)).toBeNull();
  const report = { status: "done" as const, summary: "", files: [], at: at(20) };
  const reported = { ...base, report, status: "running" as const };
  expect(spanOf(reported, now)).toEqual({ milliseconds: 20_000, going: false });
});
