// What is asked of the engine to merge work.
import { expect, test } from "vitest";
import type { App } from "~/state/app.svelte";
import type { Session } from "~/wire/types";
import { mergeAnyOrder } from "./actions";

test("work that its plan holds is merged at once, where it was to be merged", async () => {
  const asked: unknown[] = [];
  const app = {
    attempt: async (_: string, run: () => Promise<unknown>) => {
      await run();
      return true;
    },
    call: (name: string, request: unknown) => {
      asked.push([name, request]);
      return Promise.resolve();
    },
  } as unknown as App;
  const session = (place: number | null) => ({ id: "s1", merges: { place } }) as unknown as Session;
  await mergeAnyOrder(app, session(null));
  await mergeAnyOrder(app, session(1));
  expect(asked).toEqual([
    ["mergeSession", { id: "s1", anyOrder: true, local: true }],
    ["mergeSession", { id: "s1", anyOrder: true }],
  ]);
});
