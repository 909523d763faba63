import { expect, test } from "vitest";
import { cost } from "./words";

test("dollars are said where a price is known", () => {
  expect(cost({ tokens: 0, usd: null })).toBe("");
  expect(cost({ tokens: 70, usd: null })).toBe("70 tokens");
  expect(cost({ tokens: 70_000, usd: null })).toBe("70.0k tokens");
  expect(cost({ tokens: 70, usd: 0.5 })).toBe("$0.50");
});
