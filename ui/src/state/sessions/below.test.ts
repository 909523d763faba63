// @vitest-environment node
import { expect, test } from "vitest";
import type { SessionSummary } from "~/wire/types";
import { below } from "./below";

const session = (id: string, parent: string | null) => ({ id, parent }) as SessionSummary;

test("lists all descendants, each after its parent, with its level", () => {
  const all = [
    session("c", null),
    session("a", "c"),
    session("b", "c"),
    session("a1", "a"),
    session("x", null),
  ];
  expect(below(all, "c").map(({ session: { id }, level }) => `${id}${level}`)).toEqual([
    "a0",
    "a11",
    "b0",
  ]);
  expect(below(all, "x")).toEqual([]);
});

test("a loop does not hang", () => {
  expect(below([session("a", "b"), session("b", "a")], "a")).toHaveLength(1);
});
