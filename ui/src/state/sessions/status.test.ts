import { expect, it } from "vitest";
import { session } from "../../../dev/fixtures";
import { lookOf } from "./status";

const seen = (
  ...args: Parameters<typeof session> extends [unknown, unknown, unknown, ...infer R] ? R : never
) => session("s", "p", "t", ...args);

it("has no word in the row if the dot is enough", () => {
  expect(lookOf(seen("running", 1))).toMatchObject({ short: "", pulse: true, tone: "work" });
  expect(lookOf(seen("idle", 1)).short).toBe("");
  expect(lookOf(seen("waiting", 1))).toMatchObject({ short: "asks", tone: "need" });
});

it("distinguishes a blocked agent from one that asks", () => {
  const blocked = seen("waiting", 1, {
    question: { kind: "blocked", text: "Usage limit until 14:00", options: [] },
  });
  expect(lookOf(blocked).word).toBe("Blocked");
});

it("does not need the person at a usage limit that ends by itself", () => {
  const limit = {
    text: "You've hit your limit",
    resetsAt: "2030-01-01T12:00:00Z",
    overAt: "2030-01-01T12:01:00Z",
    byItself: true,
    goesOn: false,
  };
  const alone = seen("waiting", 1, { activity: "blocked", question: null, limit });
  expect(lookOf(alone)).toMatchObject({ tone: "idle", word: "Usage limit" });
  for (const other of [{ byItself: false }, { overAt: null, resetsAt: null }]) {
    const asks = { ...alone, limit: { ...limit, ...other } };
    expect(lookOf(asks).tone).toBe("need");
  }
});

it("shows a run of one prompt as done", () => {
  const evidence = { ...seen("exited", 1).statusEvidence, source: "process" as const };
  const done = seen("exited", 1, { once: true, exitCode: 0, statusEvidence: evidence });
  expect(lookOf(done)).toMatchObject({ word: "Done", short: "done", tone: "idle" });
  const stopped = { ...evidence, source: "engine" as const };
  expect(lookOf({ ...done, statusEvidence: stopped }).word).toBe("Stopped");
  expect(lookOf({ ...done, once: false }).word).toBe("Exited");
});

it("shows a kill as neither failure nor success", () => {
  expect(lookOf(seen("killed", 1)).tone).toBe("idle");
  expect(lookOf(seen("exited", 1, { exitCode: 0 })).tone).toBe("idle");
  expect(lookOf(seen("exited", 1, { exitCode: 2 }))).toMatchObject({
    tone: "bad",
    short: "exit 2",
  });
});

it("shows a stopped session as stopped, whatever its exit code or signal", () => {
  const statusEvidence = { source: "engine", detail: "stopped on request", at: "" } as const;
  const stopped = { tone: "idle", word: "Stopped", short: "stopped" };
  expect(lookOf(seen("exited", 1, { exitCode: 143, statusEvidence }))).toMatchObject(stopped);
  expect(lookOf(seen("exited", 1, { exitCode: null, statusEvidence }))).toMatchObject(stopped);
  expect(lookOf(seen("exited", 1, { exitCode: 143 })).tone).toBe("bad");
});

it("marks an agent that runs without its tools", () => {
  const word = (tools: "awaited" | "listed" | "missing" | null) =>
    lookOf(seen("running", 1, { tools })).word;
  expect(word("missing")).toBe("Running without its tools");
  expect(word("awaited")).toBe("Running without its tools");
  expect(word("listed")).toBe("Running");
  expect(word(null)).toBe("Running");
});
