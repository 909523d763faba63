// @vitest-environment node
import { expect, test } from "vitest";
import type { Notice } from "~/wire/types";
import { groupsOf, unreadOf } from "./groups";

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

test("notices about no session share one entry", () => {
  const groups = groupsOf([
    notice(3, null, false),
    notice(2, "worker", true),
    notice(1, null, true),
  ]);
  expect(groups.map(({ sessionId }) => sessionId)).toEqual([null, "worker"]);
  expect(groups[0]?.earlier.map(({ id }) => id)).toEqual([1]);
});
