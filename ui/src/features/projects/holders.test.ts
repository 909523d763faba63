// @vitest-environment node
import { expect, it } from "vitest";
import { session } from "../../../dev/fixtures";
import { beside } from "../../../dev/shells";
import { holders } from "./holders";

it("names running sessions and sessions with a worktree, sorted", () => {
  const all = [
    session("a", "p", "Zebra", "running", 1),
    session("b", "p", "Apple", "waiting", 1),
    session("c", "p", "Old", "killed", 1),
    session("d", "p", "Gone", "killed", 1, { workspacePath: null }),
    session("e", "p", "Here", "exited", 1, {
      workspace: "in-place",
      shells: beside(session("e", "p", "Here", "exited", 1), 2),
    }),
    session("f", "q", "Other", "running", 1),
  ];
  expect(holders(all, "p")).toEqual({
    live: ["Apple", "Zebra"],
    worktrees: ["Old"],
    runs: ["npm"],
  });
  expect(holders(all, "x")).toEqual({ live: [], worktrees: [], runs: [] });
});
