import { expect, test } from "vitest";
import { cost, lasted } from "./words";

test("dollars are said where a price is known", () => {
  expect(cost({ tokens: 0, usd: null })).toBe("");
  expect(cost({ tokens: 70, usd: null })).toBe("70 tokens");
  expect(cost({ tokens: 70_000, usd: null })).toBe("70.0k tokens");
  expect(cost({ tokens: 70, usd: 0.5 })).toBe("$0.50");
});

test.each([
  [0, ""],
  [-5_000, ""],
  [999, ""],
  [3_200, "3.2 s"],
])("says nothing of what has lasted %i ms, unless it is a second", (millis, told) => {
  const from = "2026-11-28T10:00:00Z";
  expect(lasted(from, Date.parse(from) + millis)).toBe(told);
});
