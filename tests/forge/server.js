// A GitHub on loopback with state: `node server.js` prints one line of JSON with its addresses, and ends when its
// standard input does. GraphQL is executed against the published schema, REST is checked against the published
// description; a request that GitHub would not take is answered with 400 and ends the test that sent it.
import { createHash } from "node:crypto";
import { broken, listen, read, sendLog } from "./connection.js";
import { control } from "./control.js";
import { answerOf, Faults } from "./faults.js";
import { GitHost } from "./git.js";
import { answer as graphql } from "./graphql.js";
import { answer as rest } from "./rest.js";
import { World } from "./state.js";

const forge = { world: new World(), faults: new Faults(), seen: [], logs: "", self: "" };
/** Its repositories are below the folder that the first argument names. */
const git = new GitHost(process.argv[2]);

/** GitHub Enterprise has its API below these paths. */
const BELOW = { rest: "/api/v3", graphql: "/api/graphql" };

/** The headers of every answer. */
function headers(resource) {
  const { world } = forge;
  const { limit, remaining, reset } = world.limits[resource];
  const skew = world.skew / 1000;
  return {
    date: new Date(Date.now() + world.skew).toUTCString(),
    "content-type": "application/json; charset=utf-8",
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(Math.round(reset + skew)),
    "x-ratelimit-resource": resource,
    "x-oauth-scopes": world.scopes,
    "x-accepted-oauth-scopes": world.accepts,
  };
}

function send(request, response, resource, { status, headers: more = {}, location, body = "" }) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = { ...headers(resource), ...more, ...(location && { location }) };
  if (request.method === "GET" && status === 200) {
    all.etag = `W/"${createHash("sha256").update(text).digest("hex")}"`;
    if (request.headers["if-none-match"] === all.etag) {
      response.writeHead(304, clean(all)).end();
      return 304;
    }
  }
  if (resource === "core") forge.world.limits.core.remaining -= 1;
  response.writeHead(status, clean({ ...all, ...headersLeft(resource, more) })).end(text);
  return status;
}

const headersLeft = (resource, more) =>
  more["x-ratelimit-remaining"]
    ? {}
    : { "x-ratelimit-remaining": String(forge.world.limits[resource].remaining) };

const clean = (all) =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));

async function serve(request, response) {
  const url = new URL(request.url, forge.self);
  if (GitHost.takes(url.pathname))
    return void (await git.serve(forge.world, request, response, url));
  const body = await read(request);
  if (url.pathname === "/_control") {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(await control(forge, body)));
    return;
  }
  const isGraphql = url.pathname === "/graphql" || url.pathname === BELOW.graphql;
  const resource = isGraphql ? "graphql" : "core";
  const method = request.method.toLowerCase();
  const path = url.pathname.replace(BELOW.rest, "");
  const name = isGraphql ? /(?:query|mutation) (\w+)/.exec(body.query)?.[1] : undefined;
  const what = isGraphql ? `graphql ${name}` : `${request.method} ${path}`;
  const record = { what, token: request.headers.authorization ?? null, variables: body?.variables };
  forge.seen.push(record);
  if (!request.headers["user-agent"])
    throw new Error("GitHub refuses requests without a user agent");
  const fault = forge.faults.take(what, request.headers.authorization);
  const refused = fault && answerOf(fault, isGraphql);
  if (refused) {
    record.status = send(request, response, resource, refused);
    return;
  }
  if (fault?.kind === "hangup") return void (await broken(fault, response));
  const answered = isGraphql
    ? await graphql(forge.world, body).then((one) => ({ status: 200, ...one }))
    : rest(forge.world, {
        method,
        path,
        query: url.searchParams,
        body,
        logs: forge.logs,
        self: forge.self + (url.pathname.startsWith(BELOW.rest) ? BELOW.rest : ""),
      });
  record.cost = answered.price;
  if (await broken(fault, response, JSON.stringify(answered.body))) return;
  record.status = send(request, response, resource, answered);
}

/** Keeps logs on another origin, as GitHub does; a token must not come here. */
async function serveLog(request, response) {
  const url = new URL(request.url, forge.logs);
  forge.seen.push({ what: `LOG ${url.pathname}`, token: request.headers.authorization ?? null });
  response.writeHead(200, { "content-type": "text/plain" });
  await sendLog(forge.world.logs.get(Number(url.pathname.slice(1))) ?? {}, response);
}

forge.logs = await listen(serveLog);
forge.self = await listen(serve);
console.log(JSON.stringify({ address: forge.self }));
process.stdin.resume().on("end", () => process.exit(0));
