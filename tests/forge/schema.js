// GitHub's published GraphQL schema, and documents checked against it. Not the answers: see graphql.js.
import { readFileSync } from "node:fs";
import { buildSchema, parse, validate } from "graphql";

const file = new URL("node_modules/@octokit/graphql-schema/schema.graphql", import.meta.url);

/** The schema. As published it has a field twice, which graphql-js would refuse. */
export const schema = buildSchema(readFileSync(file, "utf8"), { assumeValidSDL: true });

const checked = new Map();

/** Returns a query's document and the mistakes in it, each as a sentence. */
export function check(text) {
  if (!checked.has(text)) {
    try {
      const document = parse(text);
      const mistakes = validate(schema, document).map((error) => error.message);
      checked.set(text, { document, mistakes });
    } catch (error) {
      checked.set(text, { document: null, mistakes: [error.message] });
    }
  }
  return checked.get(text);
}
