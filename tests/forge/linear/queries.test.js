// The client's queries are valid by the part of Linear's schema that is here, and that part is as Linear publishes it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { buildSchema, parse, validate } from "graphql";
import { differences } from "./published.js";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
const QUERIES = "../../../crates/forge/src/linear/queries/";
const schema = buildSchema(read("schema.graphql"));

test("each query is valid", () => {
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

test("each type, field and argument of the schema is as Linear publishes it", () => {
  assert.deepEqual(differences(schema), []);
});

test("what Linear does not publish is found", () => {
  const mistaken = read("schema.graphql")
    .replace("identifier: String!", "identifier: String")
    .replace("displayName: String!", "displayname: String!")
    .replace("issue(id: String!): Issue!", "issue(id: ID!): Issue!")
    .replace("assigneeId: String", "assigneeId: ID");
  assert.deepEqual(differences(buildSchema(mistaken)).sort(), [
    'Issue.identifier: Scalars["String"] instead of Maybe<Scalars["String"]>',
    'IssueUpdateInput.assigneeId: InputMaybe<Scalars["String"]> instead of InputMaybe<Scalars["ID"]>',
    'Query.issue(id): Scalars["String"] instead of Scalars["ID"]',
    'User.displayname: nothing instead of Scalars["String"]',
  ]);
});
