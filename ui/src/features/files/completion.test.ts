import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FoundFiles } from "~/wire/types";
import { Completion } from "./completion.svelte";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const found = (...files: string[]): FoundFiles => ({ files, hasMore: false });
const ALL = ["src/cart.ts", "src/card.ts", "docs/a.md"];
const type = (completion: Completion, text: string) =>
  completion.follow(text, text.length, text.length);

test("the first request comes at once, the others after a pause", async () => {
  const asked: string[] = [];
  const completion = new Completion((query) => {
    asked.push(query);
    return Promise.resolve(found(...ALL));
  });
  type(completion, "@");
  await vi.advanceTimersByTimeAsync(0);
  expect(completion.files).toEqual(ALL);
  for (const text of ["@c", "@ca", "@car"]) type(completion, text);
  // What does not match any more is not shown until the answer.
  expect(completion.files).toEqual(["src/cart.ts", "src/card.ts"]);
  await vi.runAllTimersAsync();
  expect(asked).toEqual(["", "car"]);
});

test("an answer to earlier letters is not shown", async () => {
  const answers: ((files: FoundFiles) => void)[] = [];
  const completion = new Completion(() => new Promise((answer) => answers.push(answer)));
  type(completion, "@");
  await vi.runAllTimersAsync();
  type(completion, "@d");
  await vi.runAllTimersAsync();
  answers[1]?.(found("docs/a.md"));
  answers[0]?.(found(...ALL));
  await vi.runAllTimersAsync();
  expect(completion.files).toEqual(["docs/a.md"]);
  type(completion, "@d ");
  expect(completion.isOpen).toBe(false);
});

test("the choice goes around, and stays with its file", async () => {
  let files = ALL;
  const completion = new Completion(() => Promise.resolve(found(...files)));
  type(completion, "@");
  await vi.runAllTimersAsync();
  completion.step(-1);
  expect(completion.choice).toEqual({ path: "docs/a.md", mention: { from: 0, query: "" } });
  completion.step(1);
  type(completion, "@s");
  completion.step(1);
  files = ["src/new.ts", "src/cart.ts", "src/card.ts"];
  await vi.runAllTimersAsync();
  expect(completion.choice?.path).toBe("src/card.ts");
});

test("a list that was closed stays closed for its word", async () => {
  const completion = new Completion(() => Promise.resolve(found(...ALL)));
  type(completion, "@");
  await vi.runAllTimersAsync();
  completion.dismiss();
  type(completion, "@c");
  await vi.runAllTimersAsync();
  expect(completion.isOpen).toBe(false);
  type(completion, "@c @");
  await vi.runAllTimersAsync();
  expect(completion.isOpen).toBe(true);
});

test("an error shows nothing", async () => {
  const completion = new Completion(() => Promise.reject(new Error("gone")));
  type(completion, "@");
  await vi.runAllTimersAsync();
  expect(completion.isOpen).toBe(false);
  expect(completion.choice).toBeNull();
});
