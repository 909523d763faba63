// A GitLab on loopback with state: `node server.js FOLDER` prints one line of JSON with its address, and ends when its
// standard input does. It has REST v4 as far as the client uses it; a request that it does not know is answered with 400
// and ends the test that sent it. Pushes go to git repositories below the folder.
import { broken, listen, read, sendLog } from "../connection.js";
import { Faults } from "../faults.js";
import { GitHost } from "../git.js";
import { control } from "./control.js";
import { answerOf } from "./faults.js";
import { answer, traceOf } from "./rest.js";
import { World } from "./state.js";

const forge = { world: new World(), faults: new Faults(), seen: [], self: "" };
const git = new GitHost(process.argv[2]);

const BELOW = "/api/v4";

/** The headers of every answer. */
function headers() {
  const { limit, skew } = forge.world;
  return {
    date: new Date(Date.now() + skew).toUTCString(),
    "content-type": "application/json",
    "ratelimit-limit": String(limit.limit),
    "ratelimit-remaining": String(limit.remaining),
    "ratelimit-reset": String(Math.round(limit.reset + skew / 1000)),
  };
}

function send(response, { status, headers: more = {}, body = "" }) {
  forge.world.limit.remaining -= 1;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { ...headers(), ...more }).end(status === 204 ? undefined : text);
}

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
  if (!url.pathname.startsWith(BELOW)) throw new Error(`${url.pathname} is not below ${BELOW}`);
  const path = url.pathname.slice(BELOW.length);
  const what = `${request.method} ${decodeURIComponent(path)}`;
  forge.seen.push({ what, token: request.headers.authorization ?? null, body });
  const fault = forge.faults.take(what, request.headers.authorization);
  const refused = fault && answerOf(fault);
  if (refused) return void send(response, refused);
  if (fault?.kind === "hangup") return void (await broken(fault, response));
  if (!request.headers.authorization?.startsWith("Bearer "))
    return void send(response, { status: 401, body: { message: "401 Unauthorized" } });
  const log = traceOf(forge.world, path);
  if (log !== undefined) return void (await serveLog(log, response));
  const query = url.searchParams;
  const answered = answer(forge.world, { method: request.method, path, query, body });
  if (await broken(fault, response, JSON.stringify(answered.body))) return;
  send(response, answered);
}

async function serveLog(log, response) {
  if (!log) return void send(response, { status: 404, body: { message: "404 Not found" } });
  response.writeHead(200, { ...headers(), "content-type": "text/plain" });
  await sendLog(log, response);
}

forge.self = await listen(serve);
console.log(JSON.stringify({ address: forge.self }));
process.stdin.resume().on("end", () => process.exit(0));
