import { expect, it } from "vitest";
import type { Message } from "~/wire/types";
import { sent, stepped } from "./history";

const message = (id: number, from: string, text: string) => ({ id, from, text }) as Message;

it("has what the person sent, newest first, each once", () => {
  const all = [
    message(3, "person", "go on"),
    message(1, "person", "first"),
    message(2, "s1", "from a conductor"),
    message(4, "person", "first"),
  ];
  expect(sent(all)).toEqual(["first", "go on"]);
  expect(sent([])).toEqual([]);
});

it.each<[number, string, 1 | -1, number | null]>([
  [-1, "", 1, 0],
  [-1, "a draft", 1, null],
  [-1, "", -1, null],
  [0, "new", 1, 1],
  [1, "old", 1, 1],
  [1, "old", -1, 0],
  [0, "new", -1, -1],
  [0, "new, changed", 1, null],
  [0, "new, changed", -1, null],
])("from %i with %j, a step of %i leads to %j", (at, text, by, to) => {
  expect(stepped(["new", "old"], at, text, by)).toBe(to);
});

it("has no place without messages", () => {
  expect(stepped([], -1, "", 1)).toBe(-1);
});
