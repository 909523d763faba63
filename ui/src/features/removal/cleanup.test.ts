// Tests of what the cleanup says.
import { expect, test } from "vitest";
import type { CleanupTree } from "~/wire/types";
import { cleanup, freed, why } from "./cleanup";

const tree = (change: Partial<CleanupTree>): CleanupTree => ({
  id: "s000000000001",
  name: "cart",
  bytes: 1000,
  buildBytes: 0,
  because: "ended",
  kept: null,
  ...change,
});

test.each([
  [{ because: "merged" } as const, "Merged", "Removed: Merged"],
  [{ because: "issueClosed" } as const, "Issue closed", "Removed: Issue closed"],
  [{ because: "ended" } as const, "Ended", "Removed: Ended"],
  [{ because: null, kept: "it is running" }, "Stays: it is running", "Stays: it is running"],
])("%o", (change, before, after) => {
  expect(why(tree(change), false)).toBe(before);
  expect(why(tree(change), true)).toBe(after);
});

test("only what goes counts", () => {
  const trees = [tree({}), tree({ bytes: 500 }), tree({ bytes: 7, kept: "it is running" })];
  expect(freed(trees)).toBe(1500);
  expect(cleanup.summary(2, "1.5 kB", false)).toBe("2 worktrees with 1.5 kB can go.");
  expect(cleanup.summary(1, "1 kB", true)).toBe("1 worktree with 1 kB removed.");
});
