// GitHub's published description of its REST API: which requests it takes, and what its answers look like. Answers are
// built on the description's own examples, and checked against its schemas like everything else.
import { readFileSync } from "node:fs";
import Ajv from "ajv";
import formats from "ajv-formats";

const file = new URL(
  "node_modules/@octokit/openapi/generated/api.github.com.json",
  import.meta.url,
);

let loaded;

/** Reads the description once, when the first request needs it: it has 10 MB. */
function description() {
  if (!loaded) {
    const document = JSON.parse(readFileSync(file, "utf8"));
    const ajv = new Ajv({ strict: false, allErrors: false, validateSchema: false });
    formats(ajv);
    ajv.addSchema(document, "github");
    loaded = { document, ajv };
  }
  return loaded;
}

const pointer = (parts) =>
  `github#/${parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;

function resolve(part) {
  if (!part?.$ref) return part;
  return part.$ref
    .slice(2)
    .split("/")
    .reduce(
      (at, key) => at[key.replaceAll("~1", "/").replaceAll("~0", "~")],
      description().document,
    );
}

const compiled = new Map();

/** Throws if a value does not fit the schema at a place. */
function fits(value, parts, what) {
  const place = pointer(parts);
  if (!compiled.has(place)) compiled.set(place, description().ajv.compile({ $ref: place }));
  const valid = compiled.get(place);
  if (!valid(value)) {
    const [{ instancePath, message }] = valid.errors;
    throw new Error(`${what}: ${instancePath || "it"} ${message}`);
  }
}

/** Throws if GitHub describes no such request. `template` is its path as in the description. */
export function checkRequest(template, method, query, body) {
  const { document } = description();
  const operation = document.paths[template]?.[method];
  const what = `${method.toUpperCase()} ${template}`;
  if (!operation) throw new Error(`${what}: not in the description`);
  const known = (operation.parameters ?? []).map(resolve).filter((one) => one.in === "query");
  for (const [name, value] of query) {
    const parameter = known.find((one) => one.name === name);
    if (!parameter) throw new Error(`${what}: no parameter ${name}`);
    const words = resolve(parameter.schema)?.enum;
    if (words && !words.includes(value)) throw new Error(`${what}: ${name} cannot be ${value}`);
  }
  if (body !== undefined) {
    const parts = [
      "paths",
      template,
      method,
      "requestBody",
      "content",
      "application/json",
      "schema",
    ];
    fits(body, parts, what);
  }
}

/** Throws if GitHub would not answer so. */
export function checkAnswer(template, method, status, body) {
  const { document } = description();
  const response = resolve(document.paths[template][method].responses[status]);
  const what = `${status} of ${method.toUpperCase()} ${template}`;
  if (!response) throw new Error(`${what}: not in the description`);
  if (!response.content) return;
  const ref = document.paths[template][method].responses[status].$ref;
  const start = ref
    ? ref.slice(2).split("/")
    : ["paths", template, method, "responses", String(status)];
  fits(body, [...start, "content", "application/json", "schema"], what);
}

/** Returns a copy of the description's own example of an answer. */
export function example(template, method, status = 200) {
  const { document } = description();
  const content = resolve(document.paths[template][method].responses[status]).content;
  const { examples } = content["application/json"];
  return structuredClone(resolve(Object.values(examples)[0]).value);
}
