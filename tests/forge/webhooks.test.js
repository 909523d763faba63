// What the forge sends is what GitHub's published schemas describe, signed as GitHub signs it.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { World } from "./state.js";
import { payload, send, sendable } from "./webhooks.js";

const world = new World();
const pull = world.pull(world.repository());
world.check(pull, { conclusion: "FAILURE" });

test("each webhook is valid by its schema and names its pull request", () => {
  for (const event of sendable) {
    const made = payload(event, pull);
    const { full_name, html_url } = made.repository;
    assert.equal(`https://github.com/${full_name}`, html_url);
    if (event === "status$event") {
      assert.equal(made.sha, pull.head.oid);
      continue;
    }
    const check = made.check_run ?? made.check_suite;
    const named = check?.pull_requests[0] ?? made.pull_request ?? made.issue;
    assert.equal(named.number, pull.number, event);
  }
  const broken = { ...pull, number: "one" };
  assert.throws(() => payload("pull_request$opened", broken), /number must be integer/);
});

test("the example of GitHub's documentation has its signature", async () => {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.headers["x-hub-signature-256"]);
    response.end("{}");
  }).listen(0);
  const url = `http://127.0.0.1:${server.address().port}/`;
  const again = { body: "Hello, World!", event: "ping", id: "1" };
  await send({ url, secret: "It's a Secret to Everybody", again });
  server.close();
  const wanted = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  assert.deepEqual(seen, [wanted]);
});
