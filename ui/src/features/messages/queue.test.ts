import { expect, test } from "vitest";
import type { Message } from "~/wire/types";
import { firstLine, troubled, waiting } from "./queue";

function message(id: number, state: Message["state"], detail = ""): Message {
  return { id, state, detail, text: `message ${id}` } as Message;
}

test("queued and undelivered messages are kept apart", () => {
  const all = [
    message(1, "delivered"),
    message(2, "uncertain"),
    message(3, "failed"),
    message(4, "typing"),
    message(5, "queued", "the agent is working"),
    message(6, "interrupted"),
  ];
  expect(waiting(all).map(({ id }) => id)).toEqual([4, 5]);
  expect(troubled(all).map(({ id }) => id)).toEqual([2, 3, 6]);
});

test("a message is shown by its first nonblank line, with a sign if more follows", () => {
  expect(firstLine("\n  \n  hello\nmore")).toBe("  hello …");
  expect(firstLine("\n  hello\n \n")).toBe("  hello");
  expect(firstLine("")).toBe("");
});
