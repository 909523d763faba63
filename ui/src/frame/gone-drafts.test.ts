import { beforeEach, expect, it } from "vitest";
import { Drafts } from "~/state/drafts.svelte";
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import { GoneDrafts } from "./gone-drafts";

beforeEach(() => localStorage.clear());

/** Returns drafts of three sessions, and an engine that knows these. */
function begun(known: string[]) {
  const drafts = new Drafts();
  for (const id of ["s1", "s2", "s3"]) drafts.write("message", id, id);
  const asked: string[] = [];
  const engine = { away: false };
  const call = ((_: string, { id }: { id: string }) => {
    asked.push(id);
    if (engine.away) return Promise.reject(new CallError("unavailable", "away"));
    if (known.includes(id)) return Promise.resolve({});
    return Promise.reject(new CallError("not_found", "gone"));
  }) as Call;
  return { drafts, asked, engine, gone: new GoneDrafts(drafts, call) };
}

it("forgets the drafts of sessions that the engine does not know, and asks about each once", async () => {
  const { drafts, asked, gone } = begun(["s1", "s2"]);
  await gone.lookAfter(["s1"]);
  await gone.lookAfter(["s1"]);
  expect(asked).toEqual(["s2", "s3"]);
  // s1 is listed, s2 is archived.
  expect(drafts.sessions().toSorted()).toEqual(["s1", "s2"]);
  expect(drafts.read("message", "s3")).toBe("");
});

it("keeps them while the engine is away", async () => {
  const { drafts, gone, engine } = begun([]);
  engine.away = true;
  await gone.lookAfter([]);
  expect(drafts.sessions()).toHaveLength(3);
  engine.away = false;
  await gone.lookAfter([]);
  expect(drafts.sessions()).toEqual([]);
});
