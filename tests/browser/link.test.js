// Which engine the page talks to: a program that listens in the engine's place receives no token, and an
// outdated link is reported.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { until } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";

let world;
let page;
let shell;

begin(async (started) => {
  world = started;
  page = world.page;
  const project = await world.storefront();
  shell = await world.session({ projectId: project.id, title: "Dev server", agent: "shell" });
  await world.shows(shell.id, "$");
  await world.row(/Dev server/).click();
  await world.terminal.getByText("$").first().waitFor();
});

/** Listens in the engine's place, records everything it receives, and answers with `answer`. */
async function impostor(port, answer) {
  const heard = [];
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    answer(request, response);
  });
  server.on("upgrade", (request, socket) => {
    heard.push(`UPGRADE ${request.url} ${JSON.stringify(request.headers)}`);
    socket.destroy();
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { heard, close };
}

const outOfDate = () => page.getByText("This link is out of date");

test("a program that listens in the engine's place receives no token", async () => {
  const { port, token } = world.manifest();
  await world.killEngine();
  // It does not answer yet, so the page keeps asking.
  let answer = (_, response) => response.writeHead(503).end();
  const { heard, close } = await impostor(port, (...both) => answer(...both));
  await page.getByText("Reconnecting").first().waitFor();
  await until("the page to ask again", async () => heard.length >= 2);
  // A proof made with another token.
  answer = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ proof: "0".repeat(64) }));
  };
  await outOfDate().waitFor();
  await world.picture("link-out-of-date");
  await close();
  assert.ok(
    heard.every((one) => one.startsWith("GET /api/hello?")),
    heard.join("\n"),
  );
  assert.ok(!heard.join("\n").includes(token), heard.join("\n"));
  assert.ok(!/bearer/i.test(heard.join("\n")), heard.join("\n"));
});

/** Opens the interface at an address that was never opened before. */
async function opens(address) {
  await page.goto(address);
  await world.row(/Dev server/).click();
  await world.terminal.getByText("$").first().waitFor();
}

test("a service worker that another program left in the browser is never asked", async () => {
  const { port } = world.manifest();
  // A worker that would answer for every page of this address and read the token from the link.
  const worker = `self.addEventListener("install", () => self.skipWaiting());
    self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
    self.addEventListener("fetch", (event) => event.request.mode === "navigate" &&
      event.respondWith(new Response("<title>theirs</title>", { headers: { "content-type": "text/html" } })));`;
  const { heard, close } = await impostor(port, (request, response) => {
    const isWorker = request.url === "/worker.js";
    response.writeHead(200, { "content-type": isWorker ? "text/javascript" : "text/html" });
    response.end(
      isWorker
        ? worker
        : `<script>navigator.serviceWorker.register("/worker.js");
           navigator.serviceWorker.ready.then(() => (document.title = "ready"));</script>`,
    );
  });
  await page.reload();
  await page.waitForFunction(() => document.title === "ready");
  assert.ok(
    heard.some((one) => one.startsWith("GET /worker.js")),
    "the worker is in the browser",
  );
  await close();
  await page.reload();
  assert.equal(await page.title(), "theirs", "and answers for the old address");
  await world.startEngine();
  assert.equal(world.manifest().port, port, "the next engine has the same port");
  await opens(world.address);
});

test("the link of a stopped engine is out of date, and a new one works", async () => {
  const old = world.address;
  await world.killEngine();
  await world.startEngine();
  await page.goto(old);
  await outOfDate().waitFor();
  await page.getByText("downbeat start --link").waitFor();
  await opens(world.address);
});

test("a page at a new address has the previous theme and layout from its first frame", async () => {
  const width = () => page.evaluate(() => window.localStorage.getItem("downbeat.sidebar"));
  const edge = page.getByRole("separator", { name: "Width of the sidebar" });
  await edge.focus();
  await page.keyboard.press("ArrowRight");
  const chosen = await width();
  assert.notEqual(chosen, null);
  await world.call("PATCH", "/api/settings", { theme: "light" });
  await until("the engine to have the width", async () => {
    const { values } = await world.call("GET", "/api/preferences");
    return values["downbeat.sidebar"] === chosen;
  });
  const old = new URL(world.address).hostname;
  await world.killEngine();
  await world.startEngine();
  assert.notEqual(new URL(world.address).hostname, old);
  // The page as served, before any of its scripts ran.
  const served = await page.goto(world.address);
  assert.match(await served.text(), /<html [^>]*data-theme="light"/);
  await page.getByRole("heading", { level: 1, name: "Dev server" }).waitFor();
  assert.equal(await width(), chosen);
  await world.call("PATCH", "/api/settings", { theme: "system" });
});
