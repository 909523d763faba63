import { expect, test } from "vitest";
import { cost, lasted } from "./words";

test("dollars are said where a price is known", () => {
  expect(cost({ tokens: 0, usd: null })).toBe("");
  expect(cost({ tokens: 70, usd: null })).toBe("70 tokens");
  expect(cost({ tokens: 70_000, usd: null })).toBe("70.0k tokens");
  expect(cost({ tokens: 70, usd: 0.5 })).toBe("$0.50");
});

test.each([
  [0, true, ""],
  [-5_000, true, ""],
  [999, true, ""],
  [3_200, true, "3.2 s"],
  [999, false, "999 ms"],
])("what has lasted %i ms, and goes on: %s", (millis, goesOn, told) => {
  const from = "2026-11-28T10:00:00Z";
  expect(lasted(from, Date.parse(from) + millis, goesOn)).toBe(told);
});
