// Checks that each file and folder that the architecture document names exists.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../run.js";

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

/** Folders in other repositories are not checked. */
const isPlace = (text) =>
  !text.startsWith(".git/") &&
  /^[\w.-]+(\/[\w.{},-]+)*\/?$/.test(text) &&
  /\/|\.(rs|js|ts|svelte|ya?ml|md)$/.test(text);

/**
 * Returns the paths that a document names in backquotes. `a/{b,c}.rs` names two; words in capitals are
 * placeholders.
 */
export function named(text) {
  const quoted = [...text.replaceAll(/```.*?```/gs, "").matchAll(/`([^`\n]+)`/g)].map(
    ([, one]) => one,
  );
  return quoted
    .filter(isPlace)
    .filter((place) => !/[A-Z]{4,}/.test(place))
    .flatMap(spread);
}

function spread(place) {
  const found = /^(.*)\{([^}]*)\}(.*)$/.exec(place);
  if (!found) return [place];
  return found[2].split(",").map((one) => `${found[1]}${one.trim()}${found[3]}`);
}

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
