import { describe, expect, it } from "vitest";
import type { Usage } from "~/wire/types";
import { barsOf, sharesOf } from "./bars";

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

  it("of rows are shares of the longest one", () => {
    expect(sharesOf([usage(2), usage(8), usage(null, 900)])).toEqual([0.25, 1, null]);
    expect(sharesOf([usage(null, 5), usage(null, 20)])).toEqual([0.25, 1]);
    expect(sharesOf([usage(0)])).toEqual([0]);
    expect(sharesOf([])).toEqual([]);
  });
});
