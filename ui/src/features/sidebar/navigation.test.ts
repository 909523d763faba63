import { expect, it } from "vitest";
import { project, session } from "../../../dev/fixtures";
import { move } from "./navigation";
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

it("walks the rows", () => {
  expect(move(rows, 0, "ArrowDown")).toEqual({ kind: "focus", id: "a" });
  expect(move(rows, 0, "ArrowUp")).toEqual({ kind: "none" });
  expect(move(rows, 0, "End")).toEqual({ kind: "focus", id: "c" });
  expect(move(rows, -1, "ArrowDown")).toEqual({ kind: "focus", id: "p1" });
});

it("opens and closes branches, and climbs out of leaves", () => {
  expect(move(rows, 1, "ArrowLeft")).toEqual({ kind: "collapse", id: "a" });
  expect(move(rows, 1, "ArrowRight")).toEqual({ kind: "focus", id: "b" });
  expect(move(rows, 2, "ArrowLeft")).toEqual({ kind: "focus", id: "a" });
  expect(move(rows, 2, "ArrowRight")).toEqual({ kind: "none" });
});

it("finds by letter, from here on and around", () => {
  expect(move(rows, 1, "c")).toEqual({ kind: "focus", id: "c" });
  expect(move(rows, 3, "c")).toEqual({ kind: "focus", id: "a" });
});
