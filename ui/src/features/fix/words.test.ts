import { expect, test } from "vitest";
import { cost, took } from "./words";

test("a time is said in minutes and seconds", () => {
  const at = (second: number) => new Date(second * 1000).toISOString();
  expect(took(at(0), at(9))).toBe("9 s");
  expect(took(at(0), at(72))).toBe("1 min 12 s");
  expect(took(at(5), at(0))).toBe("0 s");
});

test("dollars are said where a price is known", () => {
  expect(cost({ tokens: 0, usd: null })).toBe("");
  expect(cost({ tokens: 70, usd: null })).toBe("70 tokens");
  expect(cost({ tokens: 70, usd: 0.5 })).toBe("$0.50");
});
