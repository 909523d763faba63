// The client's queries are valid by the part of Linear's published schema that is here.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { buildSchema, parse, validate } from "graphql";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
const QUERIES = "../../../crates/forge/src/linear/queries/";

test("each query is valid", () => {
  const schema = buildSchema(read("schema.graphql"));
  const files = readdirSync(new URL(QUERIES, import.meta.url));
  assert.equal(files.length, 4);
  for (const file of files) {
    const wrong = validate(schema, parse(read(QUERIES + file)));
    assert.deepEqual(
      wrong.map(({ message }) => message),
      [],
      file,
    );
  }
});
