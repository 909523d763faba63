// The line at which a hunk is opened in an editor.
import { expect, it } from "vitest";
import { firstLine } from "./editor";

const hunk = (newStart: number, rows: string[]) => ({
  oldStart: newStart,
  newStart,
  heading: "",
  continues: false,
  rows,
});

it("opens a hunk at its first changed line as the worktree numbers it", () => {
  expect(firstLine(hunk(10, [" a", " b", "-c", "+d"]))).toBe(12);
  expect(firstLine(hunk(10, [" a", "+b", " c"]))).toBe(11);
  expect(firstLine(hunk(10, ["-a", "-b"]))).toBe(10);
  expect(firstLine(hunk(0, ["-a"]))).toBe(1);
});
