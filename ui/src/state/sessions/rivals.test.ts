// @vitest-environment node
import { expect, test } from "vitest";
import { firstCompared, rivalsOf } from "./rivals";

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 9, minute)).toISOString();
const one = (id: string, task: string, minute = 0, parent: string | null = "c") => ({
  id,
  projectId: "p",
  parent,
  taskKey: task.trim() || null,
  createdAt: at(minute),
});
const ids = (sessions: { id: string }[]) => sessions.map(({ id }) => id);

test("sessions with the same task and the same parent compete", () => {
  const all = [
    one("a", "Fix it"),
    one("b", "Fix it\n"),
    one("c", "Other"),
    one("d", "Fix it", 0, null),
  ];
  const [a, , c, d] = all;
  expect(ids(rivalsOf(all, a ?? c ?? one("x", "")))).toEqual(["a", "b"]);
  expect(rivalsOf(all, c ?? one("x", ""))).toEqual([]);
  expect(rivalsOf(all, d ?? one("x", ""))).toEqual([]);
  expect(rivalsOf([one("e", ""), one("f", " ")], one("e", ""))).toEqual([]);
});

test("the newest pair is compared first, else the two newest workers", () => {
  const old = [one("a", "Old", 1), one("b", "Old", 1)];
  const newer = [one("c", "New", 5), one("d", "New", 5), one("e", "Alone", 9)];
  expect(firstCompared([...old, ...newer])).toEqual(["c", "d"]);
  expect(firstCompared([one("a", "1", 1), one("b", "2", 3), one("c", "3", 2)])).toEqual(["b", "c"]);
  expect(firstCompared([])).toEqual([]);
});
