// Tests of what the cleanup says, and of its order.
import { expect, test } from "vitest";
import type { Call } from "~/wire/client";
import type { CleanupTree } from "~/wire/types";
import { cleanOneByOne, cleanup, freed, why } from "./cleanup";

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

test("worktrees go one after another, and one that stayed keeps those above it", async () => {
  const asked: string[] = [];
  const stop = new AbortController();
  const call = ((_: string, { sessions }: { sessions: string[] }) => {
    asked.push(sessions.join(" "));
    const trees = sessions.map((id) => tree({ id, kept: id === "worker" ? "it is locked" : null }));
    if (sessions.includes("conductor")) stop.abort();
    return Promise.resolve(trees);
  }) as unknown as Call;
  const told: number[] = [];
  const found: string[] = [];
  const watch = { at: (done: number) => told.push(done), signal: stop.signal };
  const ids = ["other", "worker", "conductor", "last"];
  await cleanOneByOne(call, "p1", ids, watch, (trees) => {
    found.push(trees.map(({ id, kept }) => `${id}${kept === null ? "" : " stays"}`).join(", "));
  });
  expect(asked).toEqual(["other", "worker", "worker conductor"]);
  expect(found).toEqual(["other", "worker stays", "worker stays, conductor"]);
  expect(told).toEqual([0, 1, 2]);
});
