import { expect, it } from "vitest";
import { amountOf } from "./amount";

it("takes amounts as people type them, and nothing for no limit", () => {
  expect(amountOf(" ", "usd")).toBeNull();
  expect(["5", "2.50", "$ 20"].map((typed) => amountOf(typed, "usd"))).toEqual([5, 2.5, 20]);
  const tokens = ["1", "20 000 000", "20M", "1.5k"].map((typed) => amountOf(typed, "tokens"));
  expect(tokens).toEqual([1, 20_000_000, 20_000_000, 1_500]);
});

it.each(["0", "-1", "1,5", "five", "1.5", "1e3"])("%s is no number of tokens", (typed) => {
  expect(amountOf(typed, "tokens")).toBeUndefined();
});

it.each(["0", "0.001", "2M", "five"])("%s is no amount of dollars", (typed) => {
  expect(amountOf(typed, "usd")).toBeUndefined();
});
