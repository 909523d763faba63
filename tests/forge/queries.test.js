// Checks that every query of crates/forge is valid by GitHub's published schema, and what each costs.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { cost, sum } from "./cost.js";
import { check } from "./schema.js";

const sources = new URL("../../crates/forge/src/github/", import.meta.url);
const read = (name) => readFileSync(new URL(`queries/${name}.graphql`, sources), "utf8");

/** The queries as `queries.rs` puts them together: name and files. */
const queries = [
  ...readFileSync(new URL("queries.rs", sources), "utf8").matchAll(/^ {4}([A-Z_]+) = (.*);$/gm),
].map(([, name, files]) => [name, [...files.matchAll(/"([^"]+)"/g)].map(([, file]) => file)]);
const text = (name) =>
  queries
    .find(([one]) => one === name)[1]
    .map(read)
    .join("");

test("every query is valid by GitHub's schema", () => {
  assert.ok(queries.length > 20, `${queries.length} queries`);
  for (const [name] of queries) assert.deepEqual(check(text(name)).mistakes, [], name);
});

test("every file is part of a query", () => {
  const used = new Set(queries.flatMap(([, files]) => files.map((file) => `${file}.graphql`)));
  const files = readdirSync(new URL("queries", sources));
  assert.deepEqual(
    files.filter((file) => !used.has(file)),
    [],
  );
});

test("a mistake in a query is found", () => {
  assert.match(check("query { viewer { logn } }").mistakes[0], /Cannot query field "logn"/);
});

test("queries cost what the schedule counts with", () => {
  const ids = (count) => Array.from({ length: count }, (_, n) => `PR_${n}`);
  const observe = (count, whole, talk) => [
    check(text("OBSERVE")).document,
    { ids: ids(count), whole, talk },
  ];
  assert.equal(sum(...observe(100, false, false)), 100);
  assert.equal(sum(...observe(1, true, false)), 6);
  assert.equal(sum(...observe(1, true, true)), 29);
  assert.equal(cost(...observe(100, false, false)), 1);
  assert.equal(cost(...observe(24, true, false)), 1);
  assert.equal(cost(...observe(100, true, false)), 6);
  assert.equal(cost(...observe(5, true, true)), 1);
  const talks = (count) => [
    check(text("CONVERSATION")).document,
    { pulls: ids(count), threads: 20 },
  ];
  assert.equal(sum(...talks(1)), 23);
  assert.equal(cost(...talks(6)), 1);
});
