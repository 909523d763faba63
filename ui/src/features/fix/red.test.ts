import { expect, test } from "vitest";
import type { FixGroup, FixRun } from "~/wire/types";
import { redOf } from "./red";

const run = (projectId: string, outcome: FixRun["outcome"], states: FixGroup["state"][]) =>
  ({
    projectId,
    project: projectId,
    target: "main",
    outcome,
    groups: states.map((state) => ({ state })),
  }) as FixRun;

test("a project is red by its last run, until nothing is left of it", () => {
  const runs = [
    run("a", "left", ["fixed", "givenUp", "skipped"]),
    run("b", "green", ["fixed", "vanished"]),
    run("b", "left", ["givenUp"]),
    run("c", "underWay", ["working", "fixed"]),
    run("d", "underWay", []),
  ];
  expect(redOf(runs).map(({ project, left, underWay }) => [project, left, underWay])).toEqual([
    ["a", 2, false],
    ["c", 1, true],
  ]);
});
