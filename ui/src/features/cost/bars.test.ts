import { describe, expect, it } from "vitest";
import type { Usage } from "~/wire/types";
import { barsOf, byAgent } from "./bars";

const usage = (cost: number | null, output = 10): Usage => ({
  input: 0,
  cached: 0,
  written: 0,
  output,
  cost,
  unpriced: cost === null ? ["house"] : [],
  byFamily: [],
});

describe("the bars of the cost view", () => {
  it("show every day from the first to the last, by dollars", () => {
    const bars = barsOf([
      { day: "2026-03-01", usage: usage(4) },
      { day: "2026-02-27", usage: usage(1) },
    ]);
    expect(bars.map(({ day, share }) => [day, share])).toEqual([
      ["2026-02-27", 0.25],
      ["2026-02-28", 0],
      ["2026-03-01", 1],
    ]);
    expect(bars[1]?.usage).toBeNull();
  });

  it("count tokens if no price is known, and nothing divides by zero", () => {
    const of = (...all: Usage[]) =>
      barsOf(all.map((usage, index) => ({ day: `2026-01-0${index + 1}`, usage }))).map(
        ({ share }) => share,
      );
    expect(of(usage(null, 5), usage(null, 20))).toEqual([0.25, 1]);
    expect(of(usage(0), usage(0))).toEqual([0, 0]);
    // A day whose price is not known is no day of dollars.
    expect(of(usage(null), usage(2))).toEqual([0, 1]);
    expect(of()).toEqual([]);
  });

  it("show the newest thirty days", () => {
    const bars = barsOf([
      { day: "2025-01-01", usage: usage(1) },
      { day: "2026-01-30", usage: usage(1) },
    ]);
    expect([bars.length, bars[0]?.day, bars.at(-1)?.day]).toEqual([30, "2026-01-01", "2026-01-30"]);
  });

  it("add up the sessions of an agent, and leave out those that are gone", () => {
    const session = (id: string, of: Usage) => ({
      ...{ id, title: id, projectId: "p1", usage: of, subtree: null },
    });
    const all = [session("s1", usage(1)), session("s2", usage(null)), session("s3", usage(5))];
    const agents: Record<string, string> = { s1: "claude", s2: "claude", s3: "codex" };
    const found = byAgent([...all, session("gone", usage(9))], (id) => agents[id]);
    expect(found.map(({ agent, usage: { cost, output } }) => [agent, cost, output])).toEqual([
      ["codex", 5, 10],
      ["claude", 1, 20],
    ]);
    expect(found[1]?.usage.unpriced).toEqual(["house"]);
  });
});
