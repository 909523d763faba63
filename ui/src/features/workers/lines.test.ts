// @vitest-environment node
import { expect, test } from "vitest";
import { lastLines } from "./lines";

test("the last lines with content, without frames and blanks", () => {
  const text = "old\n● Bash(npm test)\n  ⎿  14 passed\n\n╭────────╮\n│ ❯      │\n╰────────╯\n\n";
  expect(lastLines(text, 3)).toEqual(["old", "● Bash(npm test)", "  ⎿  14 passed"]);
});

const RULE = "─".repeat(40);

test("the prompt at the bottom of the screen and the hints below it are left out", () => {
  const said = "❯ Unit tests for prices\n\n● 31 tests pass.\n\n✻ Baked for 2s\n\n\n";
  const foot = `${RULE}\n❯ \n${RULE}\n  ⏸ manual mode on · ? for shortcuts`;
  const want = ["❯ Unit tests for prices", "● 31 tests pass.", "✻ Baked for 2s"];
  expect(lastLines(said + foot)).toEqual(want);
  expect(lastLines(`${said}╭${RULE}╮\n│ >  │\n╰${RULE}╯\n`)).toEqual(want);
});

test("a question stays, as does text that only a prompt contains", () => {
  const question = `● Bash(x)\n${RULE}\n Bash command\n╌╌╌╌╌╌╌╌╌\n x\n╌╌╌╌╌╌╌╌╌\n Proceed?\n ❯ 1. Yes\n   2. No`;
  expect(lastLines(question, 4)).toEqual([" x", " Proceed?", " ❯ 1. Yes", "   2. No"]);
  expect(lastLines(`${RULE}\n❯ hello\n${RULE}\n`)).toEqual(["❯ hello"]);
  const table = `${RULE}\n a\n${RULE}\n b\n c\n d\n e`;
  expect(lastLines(table)).toEqual([" a", " b", " c", " d", " e"]);
});

test("an agent's logo and notes at the right edge are left out", () => {
  const banner = " ▐▛███▜▌   Claude Code v2.1\n▝▜█████▛▘  Opus · API\n  ▘▘ ▝▝    ~/work\n● Done\n";
  const effort = `${" ".repeat(60)}◐ medium · /effort`;
  expect(lastLines(banner + effort)).toEqual([
    "Claude Code v2.1",
    "Opus · API",
    "~/work",
    "● Done",
  ]);
  expect(lastLines(effort)).toEqual(["◐ medium · /effort"]);
  expect(lastLines("● Done\n❯ \n")).toEqual(["● Done"]);
  expect(lastLines("██████░░░ 60%")).toEqual(["██████░░░ 60%"]);
});

test("empty text has no lines", () => {
  expect(lastLines("")).toEqual([]);
  expect(lastLines("\n\n")).toEqual([]);
});
