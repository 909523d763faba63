// Checks that the lists of `docs/ARCHITECTURE.md` are complete: what was added once, such as one operation, is named in no file that its
// list leaves out. Not that each place of a list names it: some are needed only sometimes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../run.js";
import { named } from "./document.js";

const text = readFileSync(join(root, "docs/ARCHITECTURE.md"), "utf8");

/** Returns the text under a heading. */
function section(heading) {
  const [, after] = text.split(`\n## ${heading}\n`);
  assert.ok(after, `there is a section "${heading}"`);
  return after.split("\n## ")[0];
}

/** Returns the files that name a word, tests aside. */
function naming(pattern, folders) {
  const argv = ["grep", "-lwE", "-e", pattern, "--", ...folders];
  const files = execFileSync("git", argv, { cwd: root, encoding: "utf8" }).trim().split("\n");
  return files.filter((file) => !/tests?\b|tests?\.|\.test\./.test(file));
}

/** Returns those of `files` that no place of the list covers. A place is a file, or a folder with all in it. */
function beyond(files, places) {
  const isIn = (file, place) => `${file}/`.includes(`/${place.replace(/\/$/, "")}/`);
  return files.filter((file) => !places.some((place) => isIn(`/${file}`, place)));
}

/** A sample of each list: what was added once, where it is searched for, and who may name it because they use it. */
const SAMPLES = [
  {
    heading: "How to add an operation",
    words: "get_timeline|GetTimeline|getTimeline",
    in: ["crates", "ui/src", "ui/dev", "docs"],
    // The work behind it, the module of its subject, its fixtures, and the view that asks for it.
    more: ["engine/src/api", "crates/wire/src", "ui/dev", "ui/src/views"],
  },
  {
    heading: "How to add an effect",
    words: "Work::Track|Track\\(Box",
    in: ["crates"],
    more: [],
  },
  {
    heading: "How to add a view",
    words: 'kind: "attention"',
    in: ["ui/src"],
    // Those that show it when something is pressed.
    more: ["ui/src/features", "ui/src/frame"],
  },
];

for (const { heading, words, in: folders, more } of SAMPLES) {
  test(`the list "${heading}" is complete`, () => {
    const files = naming(words, folders);
    assert.ok(files.length > 2, files.join());
    assert.deepEqual(beyond(files, [...named(section(heading)), ...more]), []);
  });
}

test("a place that the list does not name is found", () => {
  const files = ["crates/model/src/effect.rs", "crates/engine/src/state/known.rs"];
  assert.deepEqual(beyond(files, named("`model/src/effect.rs`, `engine/src/state/{a,b}.rs`")), [
    "crates/engine/src/state/known.rs",
  ]);
});
