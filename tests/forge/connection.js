// What the forges share below their APIs: reading requests, faults of the connection, and listening on loopback.
import { createServer } from "node:http";

export const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export const drained = (response) => new Promise((done) => response.once("drain", done));

/** Reads the JSON of a request. */
export async function read(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString();
  return text ? JSON.parse(text) : undefined;
}

/** Carries out a fault of the connection. Returns whether the request is done with. */
export async function broken(fault, response, body) {
  const socket = response.socket;
  switch (fault?.kind) {
    case "slow":
      await wait(fault.ms);
      return false;
    case "hangup":
    case "after":
      socket.destroy();
      return true;
    case "truncated":
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": body.length,
      });
      response.write(body.slice(0, body.length / 2));
      await wait(20);
      socket.destroy();
      return true;
    case "oversized":
      response.writeHead(200, { "content-type": "application/json" });
      for (let sent = 0; sent < fault.bytes && !socket.destroyed; sent += 1 << 16) {
        if (!response.write(" ".repeat(1 << 16))) await Promise.race([wait(50), drained(response)]);
      }
      response.end("{}");
      return true;
    default:
      return false;
  }
}

/** Sends the text of a log, whose `line` comes first as often as `repeat` says. */
export async function sendLog({ text = "", repeat = 0, line = "" }, response) {
  const block = `${line}\n`.repeat(Math.min(repeat, 1000));
  for (let sent = 0; sent < repeat && !response.socket?.destroyed; sent += 1000) {
    if (!response.write(block)) await Promise.race([wait(1000), drained(response)]);
  }
  response.end(text);
}

const guard = (handler) => (request, response) =>
  handler(request, response).catch((error) => {
    // 400 and not 5xx: a client is to fail, not to try again.
    console.error(error.message);
    if (!response.headersSent) response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ message: `test forge: ${error.message}` }));
  });

/** Listens on loopback, and returns the address. */
export const listen = (handler) =>
  new Promise((done) => {
    const server = createServer(guard(handler)).listen(0, "127.0.0.1", () =>
      done(`http://127.0.0.1:${server.address().port}`),
    );
  });
