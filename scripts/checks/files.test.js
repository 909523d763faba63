// House rules that no linter checks: every Rust file has a head comment, and none exceeds 500
// lines.
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
