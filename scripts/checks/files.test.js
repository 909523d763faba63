// House rules that no linter checks: every Rust file has a head comment, none exceeds 500 lines, and examples are tests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { output, root } from "../run.js";

const LONGEST = 500;

const files = output(["git", "ls-files", "*.rs"]).split("\n").filter(Boolean);
const text = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));

test("every Rust file has a head comment", () => {
  const says = (file) => /^\/\/! (?!TODO)/.test(text.get(file));
  const silent = files.filter((file) => !says(file));
  assert.deepEqual(silent, []);
});

test(`no Rust file is longer than ${LONGEST} lines`, () => {
  const long = files.filter((file) => text.get(file).split("\n").length > LONGEST + 1);
  assert.deepEqual(long, []);
});

test("no doc comment has an example that nobody runs", () => {
  // The tests of documentation are not run: for each of the crates, rustdoc would read all of its code again.
  const hasExample = (file) => {
    const fences = text.get(file).match(/^\s*\/\/[/!] ```.*$/gm) ?? [];
    return fences.some((fence, index) => index % 2 === 0 && !fence.endsWith("```text"));
  };
  assert.deepEqual(files.filter(hasExample), []);
});
