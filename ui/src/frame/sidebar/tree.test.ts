import { describe, expect, it } from "vitest";
import { project, session } from "../../../dev/fixtures";
import { buildTree, parentRow, reused, sessionIds, type TreeRow } from "./tree";

const projects = [project("p1", "one"), project("p2", "two")];
const sessions = [
  session("a", "p1", "conductor", "running", 1, { role: "conductor" }),
  session("b", "p1", "asks", "waiting", 1, { parent: "a" }),
  session("c", "p1", "below b", "idle", 1, { parent: "b" }),
  session("d", "p1", "alone", "idle", 1),
  session("e", "p1", "orphan", "idle", 1, { parent: "gone" }),
];

const shape = (rows: TreeRow[]) => rows.map((row) => `${row.level} ${row.id}`);

describe("the sidebar's rows", () => {
  it("have workers below their conductor, at every level, and orphans at the top", () => {
    const rows = buildTree(projects, sessions, {});
    expect(shape(rows)).toEqual(["1 p1", "2 a", "3 b", "4 c", "2 d", "2 e", "1 p2", "2 p2/hint"]);
    expect(sessionIds(rows)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("mark a row that hides a session that needs the person", () => {
    const rows = buildTree(projects, sessions, { a: true });
    expect(shape(rows)).toEqual(["1 p1", "2 a", "2 d", "2 e", "1 p2", "2 p2/hint"]);
    expect(rows[1]).toMatchObject({ expanded: false, hidesNeed: true, workers: 1 });
    expect(rows[2]).toMatchObject({ expanded: null, hidesNeed: false });
    expect(buildTree(projects, sessions, { p1: true })[0]).toMatchObject({ hidesNeed: true });
  });

  it("know the parent that ← moves to", () => {
    const rows = buildTree(projects, sessions, {});
    expect(parentRow(rows, 3)?.id).toBe("b");
    expect(parentRow(rows, 4)?.id).toBe("p1");
    expect(parentRow(rows, 0)).toBeUndefined();
  });

  it("that did not change are the same ones as before", () => {
    const before = buildTree(projects, sessions, {});
    const later = sessions.map((one) =>
      one.id === "d" ? { ...one, status: "running" as const } : one,
    );
    const rows = reused(before, buildTree(projects, later, {}));
    const fresh = rows.filter((row, at) => row !== before[at]);
    expect(shape(fresh)).toEqual(["2 d"]);
    expect(shape(rows)).toEqual(shape(before));
  });
});
