import { describe, expect, it } from "vitest";
import { project, session } from "../../../dev/fixtures";
import { AS_IT_IS, movedTo, type Looking } from "~/state/sessions/looking";
import { buildTree, endedKey, siblings, type TreeRow } from "./tree";

const projects = [project("p1", "one"), project("p2", "two")];
const sessions = [
  session("b", "p1", "Banner 10", "idle", 9),
  session("a", "p1", "Audit", "running", 3, { role: "conductor" }),
  session("w", "p1", "Worker of audit", "waiting", 5, { parent: "a" }),
  session("c", "p1", "Banner 9", "exited", 1),
  session("d", "p2", "Docs", "exited", 40),
];
const ended = ["e1", "e2", "e3", "e4"].map((id) => session(id, "p1", id, "exited", 60));

const ids = (rows: TreeRow[]) => rows.map(({ id }) => id).join(" ");
const shown = (looking: Partial<Looking>, collapsed = {}) =>
  ids(buildTree(projects, sessions, collapsed, { ...AS_IT_IS, ...looking }));

describe("the sidebar shows", () => {
  it.each<[Partial<Looking>, string]>([
    [{}, "p1 b a w c p2 d"],
    [{ sort: "needy" }, "p1 a w b c p2 d"],
    [{ sort: "activity" }, "p1 a w c b p2 d"],
    [{ sort: "name" }, "p1 a w c b p2 d"],
    [{ pinned: ["c"] }, "p1 c b a w p2 d"],
    [{ pinned: ["c"], sort: "name" }, "p1 c a w b p2 d"],
    [{ sort: "own", order: ["c", "w", "b"] }, "p1 c b a w p2 d"],
    [{ sort: "own", order: ["b", "c"], pinned: ["c"] }, "p1 c b a w p2 d"],
    [{ words: "banner" }, "p1 b c"],
    [{ words: "worker AUDIT" }, "p1 a w"],
    [{ words: "nothing" }, ""],
    [{ state: "ended" }, "p1 c p2 d"],
    [{ state: "needy" }, "p1 a w"],
    [{ state: "resting" }, "p1 b"],
    [{ state: "ended", words: "docs" }, "p2 d"],
  ])("with %j: %s", (looking, rows) => {
    expect(shown(looking)).toBe(rows);
  });

  it("what is found although it is folded", () => {
    expect(shown({ words: "worker" }, { p1: true, a: true })).toBe("p1 a w");
  });
});

describe("ended sessions", () => {
  const tree = (collapsed = {}, looking: Partial<Looking> = {}, some = ended) =>
    buildTree(projects, [...some, ...sessions], collapsed, { ...AS_IT_IS, ...looking });

  it("are folded under their number once there are several", () => {
    const rows = tree();
    expect(ids(rows)).toBe("p1 b a w p1/ended p2 d");
    expect(rows.find(({ kind }) => kind === "ended")).toMatchObject({ count: 5, expanded: false });
    expect(ids(tree({}, {}, ended.slice(0, 2)))).toBe("p1 e1 e2 b a w c p2 d");
  });

  it("are shown when they are unfolded, pinned or looked for", () => {
    expect(ids(tree({ [endedKey("p1")]: false }))).toBe("p1 b a w p1/ended e1 e2 e3 e4 c p2 d");
    expect(ids(tree({}, { pinned: ["e2"] }))).toBe("p1 e2 b a w p1/ended p2 d");
    expect(ids(tree({}, { words: "e3" }))).toBe("p1 e3");
  });

  it("stay with a worker below them that goes on", () => {
    const conductor = session("k", "p1", "k", "exited", 60, { role: "conductor" });
    const worker = session("l", "p1", "l", "running", 1, { parent: "k" });
    const rows = buildTree(projects, [...ended, conductor, worker], {});
    expect(ids(rows)).toBe("p1 k l p1/ended p2 p2/hint");
  });
});

describe("a session", () => {
  it("is moved right before or after another one", () => {
    expect(movedTo(["a", "b", "c"], "c", "a", false).join("")).toBe("cab");
    expect(movedTo(["a", "b", "c"], "a", "b", true).join("")).toBe("bac");
    expect(movedTo(["a", "b"], "a", "gone", true).join("")).toBe("ab");
  });

  it("is moved among those below the same conductor or project, pinned as it is", () => {
    const rows = buildTree(projects, sessions, {}, { ...AS_IT_IS, pinned: ["c"] });
    const among = (id: string) =>
      siblings(rows, id)
        .map((row) => row.id)
        .join(" ");
    expect(among("b")).toBe("b a");
    expect(among("w")).toBe("w");
    expect(among("c")).toBe("c");
    expect(among("p1")).toBe("");
  });
});
