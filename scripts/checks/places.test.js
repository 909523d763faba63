// Checks that each file and folder that the architecture document names exists.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../run.js";
import { named } from "./document.js";

/** Folders that a path may be relative to, in order of preference: crates are named without their folder. */
const crates = readdirSync(join(root, "crates")).map((name) => join("crates", name));
const bases = [
  ".",
  "crates",
  "ui/src",
  "tests",
  "bench",
  ...crates.map((crate) => join(crate, "src")),
  ...crates,
];

const missing = (places) =>
  places.filter((place) => !bases.some((base) => existsSync(join(root, base, place))));

test("every file and folder that the architecture names exists", () => {
  const places = named(readFileSync(join(root, "docs/ARCHITECTURE.md"), "utf8"));
  assert.ok(places.length > 60, `${places.length} places`);
  assert.deepEqual(missing(places), []);
});

test("a missing file is reported", () => {
  const text =
    "see `engine/src/state/ledger.rs`, `engine/src/state/{draft,gone}.rs` and `src/NAME/x.rs`";
  assert.deepEqual(missing(named(text)), ["engine/src/state/gone.rs"]);
});
