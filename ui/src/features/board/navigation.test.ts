// Where the arrow keys lead.
import { expect, test } from "vitest";
import { step } from "./navigation";

const columns = [["a1", "a2", "a3"], [], ["c1"], ["d1", "d2"]];

test.each([
  ["a1", "ArrowDown", "a2"],
  ["a3", "ArrowDown", null],
  ["a1", "ArrowUp", null],
  ["a2", "k", "a1"],
  ["a2", "j", "a3"],
  ["a1", "End", "a3"],
  ["a3", "Home", "a1"],
  ["a3", "ArrowRight", "c1"],
  ["c1", "ArrowRight", "d1"],
  ["d2", "ArrowLeft", "c1"],
  ["c1", "ArrowLeft", "a1"],
  ["d2", "ArrowRight", null],
  ["a1", "ArrowLeft", null],
  ["a1", "x", null],
  ["gone", "ArrowDown", "a1"],
  [null, "", "a1"],
])("from %s, %s leads to %s", (at, key, expected) => {
  expect(step(columns, at, key)).toBe(expected);
});

test("an empty board leads nowhere", () => {
  expect(step([[], []], null, "ArrowDown")).toBeNull();
});
