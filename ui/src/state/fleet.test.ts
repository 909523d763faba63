import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readFileSync } from "node:fs";
import { session } from "../../dev/fixtures";
import type { Platform } from "~/platform/types";
import type { SessionSummary } from "~/wire/types";
import { Fleet } from "./fleet.svelte";
import { merge } from "./merge";
import { Refresher } from "./refresher";

const [SESSIONS, NEEDING] = JSON.parse(
  readFileSync("crates/wire/fixtures/attention.json", "utf8"),
) as [SessionSummary[], number];

it("counts the sessions that need the person, longest waiting first", async () => {
  const answers: Record<string, unknown> = { listSessions: SESSIONS, getEngine: { seq: 1 } };
  const call = (op: string) => Promise.resolve(answers[op] ?? []);
  const fleet = new Fleet({ call, subscribe: () => () => {} } as unknown as Platform);
  await fleet.start();
  expect(fleet.needy).toHaveLength(NEEDING);
  expect(fleet.needy[0]?.name).toBe("is-blocked");
  const since = fleet.needy.map(({ attention }) => attention?.since ?? "");
  expect(since).toEqual(since.toSorted());
  fleet.stop();
});

it("drops the plans of a removed project", async () => {
  const plan = { id: "pl1", projectId: "p1", workers: [], tasks: [], createdAt: "2026-01-01" };
  const answers: Record<string, unknown> = {
    listProjects: [{ id: "p1" }],
    listPlans: [plan],
    getEngine: { seq: 1 },
  };
  const call = (op: string) => Promise.resolve(answers[op] ?? []);
  const fleet = new Fleet({ call, subscribe: () => () => {} } as unknown as Platform);
  await fleet.start();
  await vi.waitFor(() => expect(fleet.plans.all).toHaveLength(1));
  [answers.listProjects, answers.listPlans] = [[], []];
  fleet.invalidate(["projects"]);
  await vi.waitFor(() => expect(fleet.plans.all).toHaveLength(0));
  fleet.stop();
});

it("reads a plan in full, of which a list has less", async () => {
  const plan = { id: "pl1", projectId: "p1", workers: [], tasks: [], createdAt: "2026-01-01" };
  const answers: Record<string, unknown> = {
    listProjects: [{ id: "p1" }],
    listPlans: [{ ...plan, isSummary: true }],
    planStatus: plan,
    getEngine: { seq: 1 },
  };
  const call = (op: string) => Promise.resolve(answers[op] ?? []);
  const fleet = new Fleet({ call, subscribe: () => () => {} } as unknown as Platform);
  await fleet.start();
  await vi.waitFor(() => expect(fleet.plans.plan("pl1")?.isSummary).toBe(true));
  fleet.readPlan("pl1");
  await vi.waitFor(() => expect(fleet.plans.plan("pl1")?.isSummary).toBeUndefined());
  fleet.stop();
});

it("tells whose messages changed, once for each pause", async () => {
  vi.useFakeTimers();
  const call = (op: string) => Promise.resolve(op === "getEngine" ? { seq: 1 } : []);
  const fleet = new Fleet({ call, subscribe: () => () => {} } as unknown as Platform);
  await fleet.start();
  await vi.advanceTimersByTimeAsync(1_000);
  const before = ["s1", "s2"].map((id) => fleet.messagesOf(id));
  const since = () => ["s1", "s2"].map((id, at) => fleet.messagesOf(id) - (before[at] ?? 0));
  for (let n = 0; n < 20; n += 1) fleet.invalidate(["messages", "session"], ["s1"]);
  await vi.advanceTimersByTimeAsync(5);
  fleet.invalidate(["session"], ["s1", "s2"]);
  await vi.advanceTimersByTimeAsync(1_000);
  const [first = 0, second] = since();
  expect([first > 0 && first <= 2, second]).toEqual([true, 0]);
  fleet.invalidate(["messages"]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(since()).toEqual([first + 1, 1]);
  fleet.stop();
  vi.useRealTimers();
});

describe("merging a fresh list", () => {
  it("keeps unchanged entries, and drops those that are gone", () => {
    const a = session("a", "p", "a", "idle", 1);
    const b = session("b", "p", "b", "idle", 1);
    const shown = new Map([
      ["a", a],
      ["b", b],
      ["c", session("c", "p", "c", "idle", 1)],
    ]);
    const order = merge(shown, [{ ...b, status: "running" as const }, { ...a }]);
    expect(order).toEqual(["b", "a"]);
    expect(shown.get("a")).toBe(a);
    expect(shown.get("b")?.status).toBe("running");
    expect(shown.has("c")).toBe(false);
  });
});

describe("reading again", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("reads once however often it is asked, and once more if asked while reading", async () => {
    let reads = 0;
    let release = () => {};
    const refresher = new Refresher<"sessions">(() => {
      reads += 1;
      return new Promise((done) => (release = done));
    });
    for (let i = 0; i < 100; i += 1) refresher.ask("sessions");
    await vi.advanceTimersByTimeAsync(10);
    expect(reads).toBe(1);
    for (let i = 0; i < 100; i += 1) refresher.ask("sessions");
    await vi.advanceTimersByTimeAsync(500);
    expect(reads).toBe(1);
    release();
    await vi.advanceTimersByTimeAsync(500);
    expect(reads).toBe(2);
  });

  it("retries a failed read until it succeeds", async () => {
    let tries = 0;
    const refresher = new Refresher<"sessions">(() => {
      tries += 1;
      return tries < 4 ? Promise.reject(new Error("away")) : Promise.resolve();
    });
    refresher.ask("sessions");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tries).toBe(4);
  });
});
