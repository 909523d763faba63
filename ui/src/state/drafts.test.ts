import { beforeEach, expect, it } from "vitest";
import { Drafts } from "./drafts.svelte";

const DAY = 86_400_000;
let now = 0;
beforeEach(() => {
  localStorage.clear();
  now = 100 * DAY;
});

/** Returns the drafts as a new window has them. */
const opened = () => new Drafts(localStorage, () => now);

it("has what was written in the window before, by field and subject", () => {
  const drafts = opened();
  drafts.write("message", "s1", "12 of them\n日本語");
  drafts.write("message", "s2", "another");
  drafts.write("summary", "s1", "fine so far");
  const next = opened();
  expect(next.read("message", "s1")).toBe("12 of them\n日本語");
  expect(next.read("message", "s2")).toBe("another");
  expect(next.read("summary", "s1")).toBe("fine so far");
  expect(next.read("newPlan")).toBe("");
});

it("forgets what was sent or emptied, but not the spaces in an open field", () => {
  const drafts = opened();
  drafts.write("message", "s1", "a");
  drafts.write("message", "s2", "b");
  drafts.forget("message", "s1");
  drafts.write("message", "s2", "  ");
  expect(drafts.read("message", "s2")).toBe("  ");
  expect([opened().read("message", "s1"), opened().read("message", "s2")]).toEqual(["", ""]);
  expect(localStorage.length).toBe(0);
});

it("forgets a session with everything that is about it", () => {
  const drafts = opened();
  drafts.write("message", "s1", "a");
  drafts.write("comment", "s1 src/a.ts:+3", "b");
  drafts.write("message", "s11", "c");
  drafts.write("newSession", "", "d");
  expect(drafts.sessions().toSorted()).toEqual(["s1", "s11"]);
  drafts.forgetSession("s1");
  for (const one of [drafts, opened()]) {
    expect([one.read("message", "s1"), one.read("comment", "s1 src/a.ts:+3")]).toEqual(["", ""]);
    expect([one.read("message", "s11"), one.read("newSession")]).toEqual(["c", "d"]);
  }
});

it("keeps a text for thirty days", () => {
  opened().write("message", "s1", "old");
  now += 29 * DAY;
  expect(opened().read("message", "s1")).toBe("old");
  now += 2 * DAY;
  expect(opened().read("message", "s1")).toBe("");
  opened().write("message", "s2", "new");
  expect(opened().sessions()).toEqual(["s2"]);
});

it("keeps the newest sixty, and a million characters of them", () => {
  const drafts = opened();
  for (let n = 0; n < 80; n += 1) {
    now += 1;
    drafts.write("message", `s${n}`, "text");
  }
  expect(opened().sessions()).toHaveLength(60);
  expect(opened().read("message", "s19")).toBe("");
  expect(opened().read("message", "s20")).toBe("text");
  for (let n = 0; n < 6; n += 1) {
    now += 1;
    drafts.write("message", `long${n}`, "x".repeat(190_000));
  }
  expect(opened().sessions().toSorted()).toEqual(["long1", "long2", "long3", "long4", "long5"]);
});

it("has a text that is too long for storage in this window only, and no shorter version of it", () => {
  const drafts = opened();
  drafts.write("newPlan", "", "short");
  drafts.write("newPlan", "", "x".repeat(200_001));
  expect(drafts.read("newPlan")).toHaveLength(200_001);
  expect(opened().read("newPlan")).toBe("");
});

it("goes on in memory if the storage is full or refuses", () => {
  const full = Object.create(localStorage, {
    setItem: {
      value: () => {
        throw new DOMException("full", "QuotaExceededError");
      },
    },
    getItem: { value: (key: string) => localStorage.getItem(key) },
    removeItem: { value: (key: string) => localStorage.removeItem(key) },
    key: { value: (at: number) => localStorage.key(at) },
    length: { get: () => localStorage.length },
  }) as Storage;
  const drafts = new Drafts(full, () => now);
  drafts.write("message", "s1", "here");
  expect(drafts.read("message", "s1")).toBe("here");
});
