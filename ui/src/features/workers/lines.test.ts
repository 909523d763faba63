// @vitest-environment node
import { expect, test } from "vitest";
import { lastLines } from "./lines";

test("the last lines that say something, without frames and blanks", () => {
  const text = "old\n● Bash(npm test)\n  ⎿  14 passed\n\n╭────────╮\n│ ❯      │\n╰────────╯\n\n";
  expect(lastLines(text, 3)).toEqual(["● Bash(npm test)", "  ⎿  14 passed", "│ ❯      │"]);
});

test("nothing yet", () => {
  expect(lastLines("")).toEqual([]);
  expect(lastLines("\n\n")).toEqual([]);
});
