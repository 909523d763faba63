import { expect, it } from "vitest";
import { session } from "../../../dev/fixtures";
import { isNeedy, lookOf } from "./status";

const seen = (
  ...args: Parameters<typeof session> extends [unknown, unknown, unknown, ...infer R] ? R : never
) => session("s", "p", "t", ...args);

it("says nothing in the row where the dot says enough", () => {
  expect(lookOf(seen("running", 1))).toMatchObject({ short: "", pulse: true, tone: "work" });
  expect(lookOf(seen("idle", 1)).short).toBe("");
  expect(lookOf(seen("waiting", 1))).toMatchObject({ short: "asks", tone: "need" });
});

it("tells a blocked agent from one that asks", () => {
  const blocked = seen("waiting", 1, {
    question: { kind: "blocked", text: "Usage limit until 14:00", options: [] },
  });
  expect(lookOf(blocked).word).toBe("Blocked");
});

it("shows a kill as neither failure nor success", () => {
  expect(lookOf(seen("killed", 1)).tone).toBe("idle");
  expect(lookOf(seen("exited", 1, { exitCode: 0 })).tone).toBe("idle");
  expect(lookOf(seen("exited", 1, { exitCode: 2 }))).toMatchObject({
    tone: "bad",
    short: "exit 2",
  });
  expect(isNeedy(seen("killed", 1))).toBe(false);
});

it("shows what was stopped as stopped, whatever code or signal ended it", () => {
  const statusEvidence = { source: "engine", detail: "stopped on request", at: "" } as const;
  const stopped = { tone: "idle", word: "Stopped", short: "stopped" };
  expect(lookOf(seen("exited", 1, { exitCode: 143, statusEvidence }))).toMatchObject(stopped);
  expect(lookOf(seen("exited", 1, { exitCode: null, statusEvidence }))).toMatchObject(stopped);
  expect(lookOf(seen("exited", 1, { exitCode: 143 })).tone).toBe("bad");
});
