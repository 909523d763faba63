import { expect, test } from "vitest";
import type { App } from "~/state/app.svelte";
import type { ChangeScope } from "~/wire/types";
import { Review } from "./review.svelte";

const FILE = {
  path: "a.ts",
  oldPath: null,
  mark: "modified",
  added: 4_000,
  removed: 0,
  mode: null,
  isSubmodule: false,
  contentId: "1",
};

interface Asked {
  scope?: ChangeScope;
  from?: number;
}

/** An engine whose file has three pages; it keeps what was asked, and answers each time `answer` is called. */
function desk() {
  const asked: Asked[] = [];
  const open: (() => void)[] = [];
  const call = (op: string, request: Asked) => {
    if (op === "listChanges") return Promise.resolve({ files: [FILE], commits: [], turns: [] });
    asked.push(request);
    const next = request.from === 4_000 ? null : (request.from ?? 0) + 2_000;
    const page = { file: FILE, hunks: [], total: 6_000, next, notShown: null };
    return new Promise((done) => open.push(() => done(page)));
  };
  const kept = { get: () => null, set: () => undefined };
  return { asked, app: { call, kept } as unknown as App, answer: () => open.shift()?.() };
}

test("all pages of a file are of one selection, also if another one is chosen meanwhile", async () => {
  const { asked, app, answer } = desk();
  const review = new Review(app, "s1");
  const first = review.read();
  await expect.poll(() => asked.length).toBe(1);
  const second = review.show({ scope: "committed" });
  await expect.poll(() => asked.length).toBe(2);
  for (let page = 3; page <= 6; page += 1) {
    answer();
    await expect.poll(() => asked.length).toBe(page);
  }
  answer();
  answer();
  await Promise.all([first, second]);
  expect(asked.map(({ scope, from }) => `${scope} ${from}`)).toEqual([
    "all 0",
    "committed 0",
    "all 2000",
    "committed 2000",
    "all 4000",
    "committed 4000",
  ]);
});
