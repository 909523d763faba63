// Checks licences, banned crates and sources against deny.toml, offline. The workflows run
// cargo-deny itself; this check runs with the tests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../run.js";
import { metadata } from "./metadata.js";

const deny = readFileSync(join(root, "deny.toml"), "utf8");

/** Returns the quoted strings of `key = [ … ]` in deny.toml. */
function list(key) {
  const body = new RegExp(`^${key} = \\[([^\\]]*)\\]`, "m").exec(deny)?.[1];
  assert.ok(body, `deny.toml has no list ${key}`);
  return body;
}
const strings = (text) => [...text.matchAll(/"([^"]+)"/g)].map(([, value]) => value);

const allowed = new Set(strings(list("allow")));
const banned = [...list("deny").matchAll(/name = "([^"]+)"/g)].map(([, name]) => name);

/** Returns whether an SPDX expression can be satisfied with allowed licences. */
function isAllowed(expression, extra = []) {
  const tokens = expression.replaceAll("/", " OR ").match(/\(|\)|[^\s()]+/g) ?? [];
  let at = 0;
  const any = () => {
    let met = all();
    while (tokens[at] === "OR") {
      at += 1;
      met = all() || met;
    }
    return met;
  };
  const all = () => {
    let met = one();
    while (tokens[at] === "AND") {
      at += 1;
      met = one() && met;
    }
    return met;
  };
  const one = () => {
    let name = tokens[at++];
    if (name === "(") {
      const met = any();
      at += 1;
      return met;
    }
    if (tokens[at] === "WITH") {
      name += ` WITH ${tokens[at + 1]}`;
      at += 2;
    }
    return allowed.has(name) || extra.includes(name);
  };
  return any();
}

test("licence expressions are evaluated", () => {
  for (const good of ["MIT", "GPL-3.0 OR MIT", "(MIT OR GPL-3.0) AND Zlib", "Unlicense/MIT"]) {
    assert.ok(isAllowed(good), good);
  }
  for (const bad of ["GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0 WITH Other", "(MIT AND AGPL-3.0)"]) {
    assert.ok(!isAllowed(bad), bad);
  }
});

test("every crate has an allowed licence, comes from crates.io and is not banned", () => {
  const wrong = [];
  for (const { name, version, license, source } of metadata().packages) {
    if (source === null) continue;
    if (!license || !isAllowed(license)) wrong.push(`${name} ${version}: licence ${license}`);
    if (!source.startsWith("registry+https://github.com/rust-lang/crates.io-index")) {
      wrong.push(`${name} ${version}: from ${source}`);
    }
    if (banned.includes(name)) wrong.push(`${name} ${version}: banned in deny.toml`);
  }
  assert.deepEqual(wrong, []);
});

test("every npm package has an allowed licence", () => {
  // BlueOak is permissive and used only by tools; OFL is the licence of the bundled fonts.
  const extra = ["BlueOak-1.0.0", "OFL-1.1"];
  // Checked by hand: MIT in its repository, missing in its package.json.
  const known = ["node_modules/svelte-toolbelt"];
  const locked = (folder) =>
    JSON.parse(readFileSync(join(root, folder, "package-lock.json"), "utf8")).packages;
  const wrong = [".", "tests/forge"]
    .flatMap((folder) => Object.entries(locked(folder)))
    .filter(
      ([path, { license, link }]) =>
        path && !link && !known.includes(path) && !isAllowed(license ?? "-", extra),
    )
    .map(([path, { license }]) => `${path}: ${license}`);
  assert.deepEqual(wrong, []);
});
