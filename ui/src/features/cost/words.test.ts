import { describe, expect, it } from "vitest";
import { dayName, detail, figure, isUsed, short, tokens } from "./words";

const usage = (cost: number | null, unpriced: string[] = []) => ({
  input: 1_200,
  cached: 0,
  written: 0,
  output: 34,
  cost,
  unpriced,
  byFamily: [],
});

describe("the usage text", () => {
  it("has no dollar figure if the price is unknown", () => {
    expect(figure(usage(1.234))).toBe("$1.23");
    expect(figure(usage(0.001))).toBe("< $0.01");
    expect(figure(usage(0))).toBe("$0.00");
    expect(figure(usage(1, ["house"]))).toBe("≥ $1.00");
    expect(figure(usage(null, ["house"]))).toBe("1.2k tokens");
    expect(figure(usage(null))).toBe("");
    expect(detail(usage(null, ["house"]))).toContain("No price is known for house.");
  });

  it("names a day, with its year if that is another one", () => {
    const year = new Date().getFullYear();
    expect(dayName(`${year}-11-05`)).not.toContain(`${year}`);
    expect(dayName(`${year - 1}-11-05`)).toContain(`${year - 1}`);
    expect(dayName(`${year}-11-05`, "short").length).toBeGreaterThan(
      dayName(`${year}-11-05`).length,
    );
  });

  it("is short", () => {
    expect([short(999), short(12_345), short(4_500_000)]).toEqual(["999", "12.3k", "4.5M"]);
    expect(tokens(usage(null))).toBe("1.2k tokens");
    expect(isUsed({ ...usage(null), input: 0, output: 0 })).toBe(false);
  });
});
