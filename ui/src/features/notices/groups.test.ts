// @vitest-environment node
import { expect, test } from "vitest";
import type { Notice } from "~/wire/types";
import { groupsOf, headOf, lineOf, unreadOf } from "./groups";
import { seenIn } from "./unseen";

const notice = (id: number, sessionId: string | null, read: boolean): Notice => ({
  id,
  sessionId,
  read,
  kind: "finished",
  priority: "info",
  onDesktop: true,
  projectId: "p1",
  title: sessionId ?? "Downbeat",
  text: "",
  at: "2026-11-22T12:00:00Z",
});

test("each session has one entry, ordered by its latest notice", () => {
  const groups = groupsOf([
    notice(5, "conductor", true),
    notice(4, "worker", true),
    notice(3, "conductor", false),
    notice(2, "conductor", true),
    notice(1, "other", true),
  ]);
  expect(groups.map(({ sessionId, unread }) => [sessionId, unread])).toEqual([
    ["conductor", true],
    ["worker", false],
    ["other", false],
  ]);
  expect(groups[0]?.latest.id).toBe(5);
  expect(groups[0]?.earlier.map(({ id }) => id)).toEqual([3, 2]);
  expect(groups.flatMap(unreadOf)).toEqual([3]);
});

test("each plan has one entry, and each title that is about neither", () => {
  const other = (id: number, title: string) => ({ ...notice(id, null, true), title });
  const ofPlan = (id: number, planId: string, title: string) => ({ ...other(id, title), planId });
  const groups = groupsOf([
    ofPlan(6, "pl1", "plan complete: Shop"),
    other(5, "main at acme/shop"),
    ofPlan(4, "pl2", "plan complete: Shop"),
    ofPlan(3, "pl1", "plan needs you: Shop"),
    other(2, "main at acme/shop"),
    other(1, "shop"),
  ]);
  expect(groups.map(({ planId, latest }) => [planId, latest.id])).toEqual([
    ["pl1", 6],
    [null, 5],
    ["pl2", 4],
    [null, 1],
  ]);
  expect(groups.map(({ earlier }) => earlier.map(({ id }) => id))).toEqual([[3], [2], [], []]);
  expect(new Set(groups.map(({ key }) => key)).size).toBe(4);
});

test("an earlier notice keeps its title where that is another one", () => {
  const latest = { ...notice(3, "s1", true), title: "Checkout", text: "Done." };
  expect(lineOf({ ...latest, id: 2, text: "" }, latest)).toBe("finished");
  expect(lineOf({ ...latest, id: 1, title: "Deploy?", kind: "raised" }, latest)).toBe(
    "Deploy? wants your attention: Done.",
  );
  const plan = { ...latest, sessionId: null, planId: "pl1", title: "plan complete: Shop" };
  expect(headOf(plan)).toEqual({ title: "Plan complete: Shop", what: "" });
  expect(lineOf({ ...plan, title: "plan needs you: Shop", text: "1 failed" }, plan)).toBe(
    "Plan needs you: Shop · 1 failed",
  );
  expect(lineOf({ ...plan, text: "1 failed" }, plan)).toBe("1 failed");
});

test("a look at a session reads that it finished, and one at a plan all that is about it", () => {
  const all: Notice[] = [
    notice(6, "s1", false),
    { ...notice(5, "s1", false), kind: "needsInput" },
    { ...notice(4, null, false), planId: "pl1", kind: "raised" },
    { ...notice(3, null, true), planId: "pl1", kind: "raised" },
    { ...notice(2, null, false), planId: "pl2", kind: "raised" },
    notice(1, null, false),
  ];
  expect(seenIn({ kind: "session", id: "s1" }, "s1", all)).toEqual([6]);
  expect(seenIn({ kind: "plan", id: "pl1" }, null, all)).toEqual([4]);
  expect(seenIn({ kind: "home" }, null, all)).toEqual([]);
});

test("notices about no session share one entry by their title", () => {
  const groups = groupsOf([
    notice(3, null, false),
    notice(2, "worker", true),
    notice(1, null, true),
  ]);
  expect(groups.map(({ sessionId }) => sessionId)).toEqual([null, "worker"]);
  expect(groups[0]?.earlier.map(({ id }) => id)).toEqual([1]);
});
