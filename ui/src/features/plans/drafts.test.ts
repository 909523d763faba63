import { beforeEach, expect, it } from "vitest";
import { Drafts } from "~/state/drafts.svelte";
import { EMPTY } from "./draft";
import { keep, keptIn } from "./drafts";

beforeEach(() => localStorage.clear());

it("opens with what was typed, in the next window too", () => {
  const typed = {
    ...EMPTY,
    text: "Create API, Build UI",
    projectId: "p2",
    atOnce: 3,
    tokens: 100,
    priority: "low" as const,
    tag: "v2",
  };
  keep(new Drafts(), typed);
  expect(keptIn(new Drafts())).toEqual(typed);
  // What is no number is none in storage.
  keep(new Drafts(), { ...typed, usd: Number.NaN });
  expect(keptIn(new Drafts()).usd).toBeNull();
});

it("stores nothing without text, and then begins as the last one did", () => {
  keep(new Drafts(), { ...EMPTY, begins: "goal", projectId: "p2", minutes: 9 });
  expect(localStorage.length).toBe(0);
  expect(keptIn(new Drafts())).toEqual({ ...EMPTY, begins: "goal", projectId: "p2" });
});

it("leaves out what another version may have stored", () => {
  const drafts = new Drafts();
  drafts.write(
    "newPlan",
    "",
    '{"text":"a","split":"other","atOnce":"3","agent":7,"priority":"odd","new":1}',
  );
  expect(keptIn(drafts)).toEqual({ ...EMPTY, text: "a" });
  for (const text of ["{", "null", "7"]) {
    drafts.write("newPlan", "", text);
    expect(keptIn(drafts)).toEqual(EMPTY);
  }
});
