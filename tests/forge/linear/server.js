// A Linear on loopback with state: `node server.js` prints one line of JSON with its address, and ends when its standard input
// does. GraphQL is executed against the part of the published schema in schema.graphql; a query that it does not allow is
// answered with 400 and ends the test that sent it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSchema, execute, GraphQLError, parse, validate } from "graphql";
import { broken, listen, read } from "../connection.js";
import { Faults } from "../faults.js";
import { World } from "./state.js";

const schema = buildSchema(
  readFileSync(fileURLToPath(new URL("schema.graphql", import.meta.url)), "utf8"),
);

const forge = { world: new World(), faults: new Faults(), seen: [] };

/** An error as Linear words it. */
const error = (message, code, more = {}) =>
  new GraphQLError(message, { extensions: { code, userPresentableMessage: message, ...more } });

const found = (thing, kind) => {
  if (!thing)
    throw new GraphQLError(`Entity not found: ${kind}`, { extensions: { code: "INPUT_ERROR" } });
  return thing;
};

const connection = (nodes, { first = 50 } = {}) => ({
  nodes: nodes.slice(0, first),
  pageInfo: { hasNextPage: nodes.length > first, hasPreviousPage: false },
});

const team = (one) => ({ ...one, states: (given) => connection(one.states, given) });

const issue = (one) => ({
  ...one,
  team: team(one.team),
  // The newest ones come first.
  comments: (given) => connection([...one.comments].reverse(), given),
  children: (given) => connection(one.children.map(byKey), given),
  inverseRelations: (given) =>
    connection(
      one.blockedBy.map((key) => ({ id: `${key} ${one.id}`, type: "blocks", issue: byKey(key) })),
      given,
    ),
});

const byKey = (key) => issue(forge.world.issue(key));

const root = {
  viewer: () => forge.world.viewer,
  issue: ({ id }) => issue(found(forge.world.issue(id), "Issue")),
  team: ({ id }) => team(found(forge.world.team(id), "Team")),
  issueUpdate: ({ id, input }) => {
    const one = found(forge.world.issue(id), "Issue");
    const { stateId, assigneeId, ...rest } = input;
    const state =
      stateId &&
      found(
        one.team.states.find((state) => state.id === stateId),
        "State",
      );
    const assignee = assigneeId && found(forge.world.user(assigneeId), "User");
    Object.assign(one, rest, state && { state }, assignee && { assignee });
    return { success: true, lastSyncId: 1, issue: issue(one) };
  },
  commentCreate: ({ input }) => {
    const one = found(forge.world.issue(input.issueId), "Issue");
    if (one.comments.some(({ id }) => id === input.id))
      throw error("Entity with this id already exists", "INPUT_ERROR");
    const comment = forge.world.comment(one, { ...input, user: forge.world.viewer });
    return { success: true, lastSyncId: 1, comment };
  },
};

/** The answers of faults, as Linear words them. */
const FAULTS = {
  limit: ({ seconds = 60 }) => ({
    status: 400,
    headers: { "x-ratelimit-requests-reset": String(Date.now() + seconds * 1000) },
    body: { errors: [error("Rate limit exceeded", "RATELIMITED")] },
  }),
  revoked: () => ({
    status: 401,
    body: { errors: [error("Authentication required, not authenticated", "AUTHENTICATION_ERROR")] },
  }),
  forbidden: () => ({
    status: 403,
    body: { errors: [error("You do not have access to this team", "FORBIDDEN")] },
  }),
  undone: () => ({
    status: 200,
    body: { data: { issueUpdate: { success: false }, commentCreate: { success: false } } },
  }),
  refused: () => ({ status: 200, body: { data: null, errors: [error("No.", "INPUT_ERROR")] } }),
  server: () => ({ status: 502, body: "" }),
};

function send(response, { status, headers = {}, body }) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function serve(request, response) {
  const body = await read(request);
  if (request.url === "/_control")
    return void send(response, { status: 200, body: forge.world.control(forge, body) });
  const name = /(?:query|mutation) (\w+)/.exec(body.query)?.[1];
  const token = request.headers.authorization ?? "";
  forge.seen.push({ what: `graphql ${name}`, token, variables: body.variables });
  const fault = forge.faults.take(name);
  if (FAULTS[fault?.kind]) return void send(response, FAULTS[fault.kind](fault));
  if (fault?.kind === "hangup") return void (await broken(fault, response));
  // Personal keys stand alone in the header.
  if (!token || token.startsWith("Bearer lin_api_")) return void send(response, FAULTS.revoked());
  const document = parse(body.query);
  const wrong = validate(schema, document);
  if (wrong.length > 0) throw new Error(wrong.map(({ message }) => message).join("; "));
  const answer = await execute({
    schema,
    document,
    rootValue: root,
    variableValues: body.variables,
  });
  if (await broken(fault, response, JSON.stringify(answer))) return;
  send(response, { status: 200, body: answer });
}

const address = await listen(serve);
console.log(JSON.stringify({ address }));
process.stdin.resume().on("end", () => process.exit(0));
