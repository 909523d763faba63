import { expect, it } from "vitest";
import { project, session } from "../../../dev/fixtures";
import { move, TypeAhead } from "./navigation";
import { buildTree } from "./tree";

const rows = buildTree(
  [project("p1", "one")],
  [
    session("a", "p1", "Conductor", "running", 1),
    session("b", "p1", "Worker", "idle", 1, { parent: "a" }),
    session("c", "p1", "Cart", "idle", 1),
  ],
  {},
);

it("moves through the rows", () => {
  expect(move(rows, 0, "ArrowDown")).toEqual({ kind: "focus", id: "a" });
  expect(move(rows, 0, "ArrowUp")).toEqual({ kind: "none" });
  expect(move(rows, 0, "End")).toEqual({ kind: "focus", id: "c" });
  expect(move(rows, -1, "ArrowDown")).toEqual({ kind: "focus", id: "p1" });
});

it("opens and closes branches, and moves from a leaf to its parent", () => {
  expect(move(rows, 1, "ArrowLeft")).toEqual({ kind: "collapse", id: "a" });
  expect(move(rows, 1, "ArrowRight")).toEqual({ kind: "focus", id: "b" });
  expect(move(rows, 2, "ArrowLeft")).toEqual({ kind: "focus", id: "a" });
  expect(move(rows, 2, "ArrowRight")).toEqual({ kind: "none" });
});

/** Returns what each key of a text does, typed on row `at`, one every 100 ms. */
function type(text: string, at = 0) {
  const typing = new TypeAhead();
  let row = at;
  return Array.from(text, (char, n) => {
    const step = typing.take(rows, row, char === "\n" ? "Enter" : char, n * 100);
    if (step?.kind === "focus") row = rows.findIndex(({ id }) => id === step.id);
    return step === null ? "key" : step.kind === "focus" ? step.id : step.kind;
  });
}

it("finds by letters, from the current row on and around", () => {
  expect(type("c", 1)).toEqual(["c"]);
  expect(type("c", 3)).toEqual(["a"]);
  expect(type("ca")).toEqual(["a", "c"]);
  expect(type("cc")).toEqual(["a", "c"]);
  expect(type("ca\n")).toEqual(["a", "c", "key"]);
});

it("opens nothing while a typed sentence matches no row", () => {
  expect(new Set(type("try with two agents\n"))).toEqual(new Set(["taken"]));
  expect(type("cat one").slice(2)).toEqual(Array.from({ length: 5 }, () => "taken"));
  expect(type(" ")).toEqual(["key"]);
});

it("continues through modifier keys of a letter", () => {
  const typing = new TypeAhead();
  expect(typing.take(rows, 0, "q", 0)).toEqual({ kind: "taken" });
  for (const key of ["Shift", "CapsLock", "AltGraph", "Dead"])
    expect(typing.take(rows, 0, key, 100)).toBeNull();
  expect(typing.take(rows, 0, "T", 200)).toEqual({ kind: "taken" });
  expect(typing.take(rows, 0, "Shift", 300)).toBeNull();
  expect(typing.take(rows, 0, "Enter", 400)).toEqual({ kind: "taken" });
});

it("starts over after a pause", () => {
  const typing = new TypeAhead();
  expect(typing.take(rows, 0, "x", 0)).toEqual({ kind: "taken" });
  expect(typing.take(rows, 0, "w", 5_000)).toEqual({ kind: "focus", id: "b" });
  expect(typing.take(rows, 2, "Enter", 9_000)).toBeNull();
});
