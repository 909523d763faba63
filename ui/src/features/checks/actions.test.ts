// What is asked of the engine to merge work.
import { expect, test } from "vitest";
import type { App } from "~/state/app.svelte";
import type { Session, SessionPull, SessionSummary } from "~/wire/types";
import { merge, mergeAnyOrder, mergePull } from "./actions";

/** An application that records what is asked of the engine. */
function recorded() {
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
  return { app, asked };
}

test("work that its plan holds is merged at once, where it was to be merged", async () => {
  const { app, asked } = recorded();
  const session = (place: number | null) => ({ id: "s1", merges: { place } }) as unknown as Session;
  await mergeAnyOrder(app, session(null));
  await mergeAnyOrder(app, session(1));
  expect(asked).toEqual([
    ["mergeSession", { id: "s1", anyOrder: true, local: true }],
    ["mergeSession", { id: "s1", anyOrder: true }],
  ]);
});

test("the commit that is merged is the approved one, or else the one that was checked", async () => {
  const { app, asked } = recorded();
  const session = (verdict: string | null, isOutdated = false) =>
    ({
      id: "s1",
      review: verdict && { verdict, isOutdated, commit: "approved" },
    }) as unknown as SessionSummary;
  await merge(app, session(null));
  await merge(app, session(null), "checked");
  await merge(app, session("approved"), "checked");
  await merge(app, session("approved", true), "checked");
  await merge(app, session("changesRequested"));
  const heads = asked.map((call) => (call as [string, { head?: string }])[1].head);
  expect(heads).toEqual([undefined, "checked", "approved", "checked", undefined]);
});

test("a strategy is named only if the person chose one", async () => {
  const { app, asked } = recorded();
  const pull = { number: 3, head: "h" } as unknown as SessionPull;
  await mergePull(app, "s1", pull);
  await mergePull(app, "s1", pull, { strategy: "rebase" });
  await mergePull(app, "s1", pull, { whenReady: true, strategy: "merge" });
  await merge(app, { id: "s1", review: null } as unknown as SessionSummary, "c", "squash");
  expect(asked).toEqual([
    ["mergeSession", { id: "s1", number: 3, head: "h" }],
    ["mergeSession", { id: "s1", number: 3, head: "h", strategy: "rebase" }],
    ["mergeSession", { id: "s1", number: 3, head: "h", whenReady: true, strategy: "merge" }],
    ["mergeSession", { id: "s1", local: true, head: "c", strategy: "squash" }],
  ]);
});
