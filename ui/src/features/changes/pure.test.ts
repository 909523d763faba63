// The pure parts of the changes: rows, words within lines, the tree, viewed marks, the message.
import { describe, expect, it } from "vitest";
import type { ChangeHunk, ChangeList, ChangeScope, FileChange } from "~/wire/types";
import { asLineComments, message, type Comment } from "./comments";
import { canDiscard } from "./discard";
import { languageOf } from "./language";
import { join, linesOf, rowsOf } from "./lines";
import { treeOf } from "./tree";
import * as viewed from "./viewed";
import { shown, words } from "./words";
import { differing } from "./words-within";

const hunk = (rows: string[], more: Partial<ChangeHunk> = {}): ChangeHunk => ({
  oldStart: 10,
  newStart: 20,
  heading: "",
  continues: false,
  rows,
  ...more,
});
const file = (path: string): FileChange => ({
  path,
  oldPath: null,
  mark: "modified",
  added: 1,
  removed: 1,
  mode: null,
  isSubmodule: false,
  contentId: null,
});

describe("lines", () => {
  const rows = [" a", "-b", "-c", "+B", "+C", "+D", "-e", "\\"];

  it("have their numbers", () => {
    const lines = linesOf(hunk(rows));
    expect(lines.map(({ before, after }) => [before, after])).toEqual([
      [10, 20],
      [11, null],
      [12, null],
      [null, 21],
      [null, 22],
      [null, 23],
      [13, null],
    ]);
    expect(lines.at(-1)?.unended).toBe(true);
  });

  it("are paired in order, side by side and in one column", () => {
    const texts = rowsOf([hunk(rows)], true).map((row) =>
      row.kind === "pair" ? [row.left?.text ?? "", row.right?.text ?? ""] : row.kind,
    );
    expect(texts).toEqual(["hunk", ["a", "a"], ["b", "B"], ["c", "C"], ["", "D"], ["e", ""]]);
    const pairs = rowsOf([hunk(rows)], false).map((row) =>
      row.kind === "line" ? `${row.line.sign}${row.line.text}${row.pair?.text ?? ""}` : row.kind,
    );
    expect(pairs).toEqual(["hunk", " a", "-bB", "-cC", "+Bb", "+Cc", "+D", "-e"]);
  });

  it("of several pages are one hunk, and the pages stay as they were", () => {
    const pages = [[hunk([" a"])], [hunk(["+b"], { continues: true }), hunk(["+c"])]];
    const whole = join(pages);
    expect(whole.map(({ rows }) => rows)).toEqual([[" a", "+b"], ["+c"]]);
    expect(pages[0]?.[0]?.rows).toEqual([" a"]);
  });
});

describe("words within a line", () => {
  const parts = (text: string, other: string) =>
    differing(text, other).map(([from, to]) => text.slice(from, to));

  it.each([
    ["return a + b;", "return a - b;", ["+"]],
    ["const total = sum(items);", "const total = sum(items, tax);", []],
    ["const total = sum(items, tax);", "const total = sum(items);", [", tax"]],
    ["fn old_name(x: u8)", "fn new_name(x: u16)", ["old_name", "u8"]],
    ["completely different", "nothing alike here", []],
    ["same", "same", []],
    ["x".repeat(600), "y", []],
  ])("%s", (text, other, wanted) => expect(parts(text, other)).toEqual(wanted));
});

describe("the tree", () => {
  const files = ["a/b/c/one.ts", "a/b/c/two.ts", "a/x.ts", "docs/deep/er/y.md", "z.txt"].map(file);
  const told = (folded: string[]) =>
    treeOf(files, new Set(folded)).map(
      ({ kind, name, depth }) => `${depth} ${kind === "folder" ? name + "/" : name}`,
    );

  it("joins folders with one child, and has folders first", () => {
    expect(told([])).toEqual([
      "0 a/",
      "1 b/c/",
      "2 one.ts",
      "2 two.ts",
      "1 x.ts",
      "0 docs/deep/er/",
      "1 y.md",
      "0 z.txt",
    ]);
    expect(told(["a", "docs/deep/er"])).toEqual(["0 a/", "0 docs/deep/er/", "0 z.txt"]);
  });
});

describe("viewed marks", () => {
  it("are of a content, and survive being written", () => {
    const marks = viewed.mark([], "0123456789abcdef", true);
    const again = viewed.parse(viewed.written(marks));
    expect(viewed.has(again, "0123456789abcdef")).toBe(true);
    expect(viewed.has(again, "1123456789abcdef")).toBe(false);
    expect(viewed.has(again, null)).toBe(false);
    expect(viewed.mark(again, "0123456789abcdef", false)).toEqual([]);
  });

  it("fit into one preference, the newest", () => {
    let marks: string[] = [];
    for (let at = 0; at < 500; at += 1)
      marks = viewed.mark(
        marks,
        at.toString(16).padStart(16, "0").split("").reverse().join(""),
        true,
      );
    expect(viewed.written(marks).length).toBeLessThanOrEqual(4_096);
    expect(
      viewed.has(marks, (499).toString(16).padStart(16, "0").split("").reverse().join("")),
    ).toBe(true);
  });
});

describe("the message", () => {
  const comment = (more: Partial<Comment>): Comment => ({
    id: 1,
    path: "src/a.ts",
    line: 3,
    sign: "+",
    quote: "let x = 1;",
    text: "Use const.",
    ...more,
  });

  it("names file and line, quotes the line, and is in order", () => {
    const text = message([
      comment({ id: 2, path: "src/b.ts", sign: "-", text: " Why? " }),
      comment({}),
    ]);
    expect(text).toBe(
      "Comments on your changes:\n\nsrc/a.ts:3\n> +let x = 1;\nUse const.\n\nsrc/b.ts:3 (removed line)\n> -let x = 1;\nWhy?",
    );
  });

  it("begins with what is said of the work as a whole", () => {
    expect(message([comment({})], "Round it up.")).toBe(
      "Round it up.\n\nA comment on your changes:\n\nsrc/a.ts:3\n> +let x = 1;\nUse const.",
    );
  });

  it("is given to a review comment by comment", () => {
    const given = asLineComments([
      comment({ id: 2, path: "src/b.ts", sign: "-", text: " Why? " }),
      comment({}),
    ]);
    expect(given).toEqual([
      { path: "src/a.ts", line: 3, quote: "let x = 1;", text: "Use const." },
      { path: "src/b.ts", line: 3, removed: true, quote: "let x = 1;", text: "Why?" },
    ]);
  });

  it("has nothing in it that acts on a terminal", () => {
    const text = message([comment({ quote: `\u001b[2J\u202e${"x".repeat(500)}` })]);
    for (const c of ["\u001b", "\u202e"]) expect(text).not.toContain(c);
    expect(text.length).toBeLessThan(300);
  });
});

it("shows what cannot be seen", () => {
  expect(shown("a\u001b[31m\tb\r")).toBe("a␛[31m\tb␍");
  expect(shown("a\u202eb")).toBe("a�b");
});

it("knows languages by name, and none by a name of an object", () => {
  expect(["a/b.rs", "Makefile", "x.TSX", "none", "a.constructor", "x.zzz"].map(languageOf)).toEqual(
    ["rust", "makefile", "typescript", null, null, null],
  );
});

it("discards only what is in the worktree as it is shown", () => {
  const own = { ...file("a"), contentId: "1" };
  const list = { to: null, note: null } as ChangeList;
  const may = (scope: ChangeScope, more: Partial<FileChange> = {}, at: Partial<ChangeList> = {}) =>
    canDiscard({ list: { ...list, ...at }, shown: { scope } }, { ...own, ...more });
  expect(may("all") && may("uncommitted") && may("turn")).toBe(true);
  expect(may("committed") || may("commit")).toBe(false);
  expect(may("all", { contentId: null }) || may("all", { isSubmodule: true })).toBe(false);
  expect(may("all", { mark: "conflict" })).toBe(false);
  expect(may("all", {}, { to: "4e1f" }) || may("all", {}, { note: "removed" })).toBe(false);
  expect(canDiscard({ list: null, shown: { scope: "all" } }, own)).toBe(false);
});

it("names the command that undoes a discard later", () => {
  expect(words.undoLater("cart", 3)).toBe("To undo it later: downbeat discard cart --undo 3");
});
