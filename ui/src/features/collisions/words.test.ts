// What is said of collisions.
import { expect, test } from "vitest";
import type { Collision } from "~/wire/types";
import { badgeOf, sentenceOf, sorted } from "./words";

const one = (session: string, more: Partial<Collision> = {}): Collision => ({
  session,
  files: [{ path: "src/a.ts", samePlace: false, conflicts: false }],
  fileCount: 1,
  samePlace: false,
  conflicts: false,
  at: "2026-01-01T00:00:00Z",
  ...more,
});
const lines = { samePlace: true };
const conflicts = { samePlace: true, conflicts: true };
const titleOf = (id: string) => ({ a: "Login", b: "Cart" })[id];

test.each<[string, Collision[], string | null, string | null]>([
  ["nothing", [], null, null],
  ["the same files", [one("a")], "same files as Login", null],
  ["the same lines", [one("a"), one("b", lines)], "same lines as Cart", "need"],
  ["a conflict", [one("a", lines), one("b", conflicts)], "conflicts with Cart", "bad"],
  ["two conflicts", [one("a", conflicts), one("b", conflicts)], "conflicts with 2 sessions", "bad"],
  ["a session that is not listed", [one("x")], "same files as 1 session", null],
])("a card says %s", (_, collisions, text, tone) => {
  expect(badgeOf(collisions, titleOf)).toEqual(text && { text, tone });
});

test("the worst comes first, in a sentence with its files", () => {
  const all = sorted([one("a"), one("b", conflicts), one("c", lines)]);
  expect(all.map(({ session }) => session)).toEqual(["b", "c", "a"]);
  expect(sentenceOf(one("a", { ...conflicts, fileCount: 3 })).text).toBe(
    "also changes src/a.ts and 2 more files. Merging both would conflict.",
  );
  expect(sentenceOf(one("a", lines)).text).toBe(
    "also changes src/a.ts, partly the same lines. Both still merge.",
  );
  const hidden = [{ path: "a\u202eb", samePlace: false, conflicts: false }];
  expect(sentenceOf(one("a", { files: hidden })).text).not.toContain("\u202e");
});
