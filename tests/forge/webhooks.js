// Webhooks of the forge: made from its state, checked against the published schemas, signed, and sent to one address. What
// the state does not know has the smallest value that the schema allows. Not whether the receiver believes them.
import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv";
import formats from "ajv-formats";
import { now } from "./state.js";

const require = createRequire(import.meta.url);
const schema = JSON.parse(readFileSync(require.resolve("@octokit/webhooks-schemas/schema.json")));
const ajv = formats(new Ajv({ allErrors: true, strict: false }));
ajv.addSchema(schema, "webhooks");

const BY_FORMAT = {
  uri: "https://github.com/x",
  "uri-template": "https://github.com/x",
  "date-time": "2026-01-01T00:00:00Z",
  email: "a@example.com",
};

/** Returns the smallest value that a part of the schema allows. */
export function sample(part) {
  if (part.$ref) return sample(schema.definitions[part.$ref.replace("#/definitions/", "")]);
  if ("const" in part) return part.const;
  if (part.enum) return part.enum[0];
  const choice = part.oneOf ?? part.anyOf;
  if (choice) return sample(choice[0]);
  const all = part.allOf?.map(sample) ?? [];
  const type = [part.type].flat()[0];
  if (all.length > 0 && type !== "object") return Object.assign({}, ...all);
  if (type === "string") return BY_FORMAT[part.format] ?? "x";
  if (type === "integer" || type === "number") return 1;
  if (type === "boolean") return false;
  if (type === "array") return [];
  if (type !== "object") return null;
  const own = (part.required ?? []).map((name) => [name, sample(part.properties?.[name] ?? {})]);
  return Object.assign({}, ...all, Object.fromEntries(own));
}

/** Puts values into a sample, deeply. */
function merge(into, values) {
  for (const [name, value] of Object.entries(values)) {
    const isObject = value && typeof value === "object" && !Array.isArray(value);
    if (isObject && into[name] && typeof into[name] === "object") merge(into[name], value);
    else into[name] = value;
  }
  return into;
}

const repositoryOf = ({ id, databaseId, owner, name }) => ({
  id: databaseId,
  node_id: id,
  name,
  full_name: `${owner}/${name}`,
  html_url: `https://github.com/${owner}/${name}`,
});

const pullOf = (pull) => ({
  node_id: pull.id,
  number: pull.number,
  title: pull.title,
  state: pull.state === "OPEN" ? "open" : "closed",
  head: { ref: pull.head.branch, sha: pull.head.oid },
  base: { ref: pull.base },
});

const knownAs = ({ number, head }) => ({
  ...sample(schema.definitions["check-run-pull-request"]),
  number,
  head: {
    ...sample(schema.definitions["check-run-pull-request"]).head,
    sha: head.oid,
  },
});

const ofPull = (pull) => ({ number: pull.number, pull_request: pullOf(pull) });

/** The events that can be sent, each with its part of the payload. */
const EVENTS = {
  pull_request$opened: ofPull,
  pull_request$synchronize: (pull) => ({ ...ofPull(pull), after: pull.head.oid }),
  pull_request$closed: (pull) => merge(ofPull(pull), { pull_request: { state: "closed" } }),
  pull_request$labeled: (pull) => ({
    ...ofPull(pull),
    label: { ...sample(schema.definitions.label), name: pull.labels.at(-1) ?? "bug" },
  }),
  pull_request$edited: (pull) => ({ ...ofPull(pull), changes: { title: { from: "Before" } } }),
  pull_request$converted_to_draft: (pull) => merge(ofPull(pull), { pull_request: { draft: true } }),
  pull_request$ready_for_review: (pull) => merge(ofPull(pull), { pull_request: { draft: false } }),
  pull_request_review$submitted: (pull) => ({ pull_request: pullOf(pull) }),
  pull_request_review_comment$created: (pull) => ({
    pull_request: pullOf(pull),
    comment: { path: pull.threads.at(-1)?.path ?? "src/a.rs", commit_id: pull.head.oid },
  }),
  pull_request_review_thread$resolved: (pull) => ({
    pull_request: pullOf(pull),
    thread: { node_id: pull.threads.at(-1)?.id ?? "PRRT_1" },
  }),
  issue_comment$created: (pull) => ({
    issue: {
      number: pull.number,
      pull_request: Object.fromEntries(
        ["url", "html_url", "diff_url", "patch_url"].map((name) => [name, BY_FORMAT.uri]),
      ),
    },
  }),
  check_run$completed: (pull) => {
    const check = pull.checks.at(-1);
    return {
      check_run: {
        name: check.name,
        head_sha: pull.head.oid,
        conclusion: check.conclusion.toLowerCase(),
        pull_requests: [knownAs(pull)],
      },
    };
  },
  check_suite$completed: (pull) => ({
    check_suite: { head_sha: pull.head.oid, pull_requests: [knownAs(pull)] },
  }),
  // It names a commit, and no pull request.
  status$event: (pull) => ({
    sha: pull.head.oid,
    state: "failure",
    context: "ci/external",
    commit: {
      sha: pull.head.oid,
      commit: { author: { date: now() }, committer: { date: now() } },
    },
  }),
};

/** Returns the payload of an event, `pull_request$opened` for example. */
export function payload(event, pull) {
  const made = merge(sample(schema.definitions[event]), {
    ...EVENTS[event](pull),
    repository: repositoryOf(pull.repository),
  });
  const check = ajv.getSchema(`webhooks#/definitions/${event}`);
  if (!check(made)) throw new Error(`${event}: ${ajv.errorsText(check.errors)}`);
  return made;
}

export const sendable = Object.keys(EVENTS);

/** Sends a webhook of a pull request; `change` and `id` send something else than what was signed, or another id. */
export async function send({ url, secret, event, pull, again, id, change }) {
  const body = again?.body ?? JSON.stringify(payload(event, pull));
  const signed = {
    "x-github-event": again?.event ?? event.split("$")[0],
    "x-github-delivery": id ?? again?.id ?? randomUUID(),
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "GitHub-Hookshot/x",
      ...signed,
    },
    body: change ? body.replace(change.from, change.to) : body,
  });
  const sent = {
    body,
    id: signed["x-github-delivery"],
    event: signed["x-github-event"],
  };
  return { status: answer.status, answer: await answer.json(), sent };
}
