import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { App } from "~/state/app.svelte";
import type { Hit } from "~/wire/types";
import { Said, together } from "./said.svelte";

const hit = (title: string) => ({ title }) as Hit;

/** Returns an app whose searches are answered when the test decides. */
function waiting() {
  const asked: { query: string; answer: (hits: Hit[]) => void }[] = [];
  const call = (_: string, { query }: { query: string }) =>
    new Promise<Hit[]>((answer) => asked.push({ query, answer }));
  return { app: { call } as unknown as App, asked };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("asks once typing pauses, and not for one or two letters", async () => {
  const { app, asked } = waiting();
  const said = new Said(app);
  for (const typed of ["t", "to", "tot", "total"]) said.look(typed);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked.map(({ query }) => query)).toEqual(["total"]);
  said.look("to");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toHaveLength(1);
});

test("a late answer is not shown for another query", async () => {
  const { app, asked } = waiting();
  const said = new Said(app);
  said.look("first");
  await vi.advanceTimersByTimeAsync(1_000);
  said.look("second");
  await vi.advanceTimersByTimeAsync(1_000);
  asked[1]?.answer([hit("two")]);
  asked[0]?.answer([hit("one")]);
  await vi.advanceTimersByTimeAsync(0);
  expect(said.hits.map(({ title }) => title)).toEqual(["two"]);
  said.look("third");
  expect(said.hits).toEqual([]);
});

test("the hits of a session stand together, in the order of the best of each", () => {
  const from = (sessionId: string, title: string) => ({ sessionId, title }) as Hit;
  const hits = [from("a", "1"), from("b", "2"), from("a", "3"), from("c", "4"), from("b", "5")];
  expect(together(hits).map(({ title }) => title)).toEqual(["1", "3", "2", "5", "4"]);
});
