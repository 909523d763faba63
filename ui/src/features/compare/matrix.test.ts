// @vitest-environment node
import { expect, test } from "vitest";
import type { Changes } from "~/wire/types";
import { least, matrix } from "./matrix";

const changes = (...paths: string[]): Changes => ({
  since: "main",
  count: paths.length,
  added: 1,
  removed: 0,
  files: paths.map((path) => ({ path, added: 1, removed: 0, isUntracked: false })),
});

test("files that all changed come first; an unchanged file is an empty cell", () => {
  const rows = matrix([changes("b", "a"), changes("c", "b"), null]);
  expect(rows.map(({ path }) => path)).toEqual(["a", "b", "c"]);
  const two = matrix([changes("b", "a"), changes("c", "b")]);
  expect(two.map(({ path, shared }) => [path, shared])).toEqual([
    ["b", true],
    ["a", false],
    ["c", false],
  ]);
  expect(two[1]?.cells.map((cell) => cell?.path ?? null)).toEqual(["a", null]);
  expect(matrix([null, null])).toEqual([]);
});

test("the least is named only if all numbers are known and one is smaller", () => {
  expect(least([3, 1, 2])).toBe(1);
  expect(least([1, 1, 2])).toBeNull();
  expect(least([1, null])).toBeNull();
  expect(least([1])).toBeNull();
});
