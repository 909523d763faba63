import { expect, it } from "vitest";
import { titleParts } from "./title";

it("keeps the brackets at the end", () => {
  expect(titleParts("One function for totals (Claude Code)")).toEqual({
    head: "One function for totals",
    tail: "(Claude Code)",
  });
  expect(titleParts("Cart (old) (fork)")).toEqual({ head: "Cart (old)", tail: "(fork)" });
});

it("leaves a title whole if it has no brackets, nothing else, or too much in them", () => {
  for (const title of ["Cart", "(fork)", "Cart (", "f(x)", "Cart (with all of the taxes)"]) {
    expect(titleParts(title)).toEqual({ head: title, tail: "" });
  }
});
