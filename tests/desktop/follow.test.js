// In the real window: a question with its answers, the queue, the evidence, cost, search and the ways to
// go on. What each does is tested in a browser; here that WebKit shows and runs them.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeRepository } from "./world/repository.js";
import { until } from "./world/processes.js";
import { KEYS } from "./world/webdriver.js";
import { World } from "./world/world.js";

const SAID = "The cart shows the tax under the subtotal now.";

let world;
let project;
let cart;

before(async () => {
  world = await World.start();
  await world.open();
  writeFileSync(
    join(world.data, "prices.yaml"),
    "models:\n  - { model: fake, input: 5, output: 25 }\n",
  );
  const path = makeRepository(join(world.home, "storefront"), world.env);
  project = (await world.call("add_project", { path, trust: true })).id;
  const prompt = ["write notes.md half", "use fake 240000 21000", `end ${SAID}`];
  cart = await made("Tax in the cart", prompt.join("\n"));
  await becomes(cart, "idle");
});
after(() => world?.end());

async function made(title, prompt) {
  const asked = { projectId: project, agent: "claude", title, prompt };
  return (await world.call("create_session", asked)).id;
}
const session = (id) => world.call("get_session", { id });
const becomes = (id, status) =>
  until(`${id} to be ${status}`, async () => (await session(id)).status === status);
const says = (text) =>
  until(`the page to say ${text}`, async () => (await world.page.text()).includes(text));
const click = (selector, text) =>
  until(`${selector} with ${text}`, async () => {
    await (await world.page.named(selector, text)).click();
    return true;
  });
const row = (title) => click("[role=treeitem]", title);

/** Runs a command by its name in the palette. */
async function command(name) {
  await world.activate();
  await world.page.press("control", "shift", "k");
  const input = await until("the palette", () => world.page.find(".palette-input"));
  await input.type(name);
  await click("[role=option]", name);
}

test("a question is answered by a button", async () => {
  const id = await made("Migrate", "offer npm run migrate\nsay Migrated.");
  await row("Migrate");
  await says("npm run migrate");
  await until("an answer that can be pressed", () =>
    world.page.find(".answer[aria-disabled=false]"),
  );
  world.picture("follow-question");
  await click(".answer", "Yes");
  await becomes(id, "idle");
});

test("messages wait in sight while the agent works", async () => {
  const id = await made("Sign-in", `work ${join(world.home, "never")}`);
  await becomes(id, "running");
  await row("Sign-in");
  const composer = await until("the line", () =>
    world.page.find("[aria-label='Message to Sign-in'] textarea"),
  );
  await composer.type(`Keep the old cookie readable.${KEYS.enter}`);
  await until("its place in the queue", async () => (await session(id)).queued === 1);
  await says("Keep the old cookie readable.");
  world.picture("follow-queue");
});

test("a press on the status tells the evidence", async () => {
  await click("button.status", "Running");
  await says("UserPromptSubmit hook");
  await says("→ running");
  world.picture("follow-evidence");
  await world.page.press("escape");
});

test("cost has a view", async () => {
  await command("Show what agents cost");
  await says("$1.7");
  world.picture("follow-cost");
});

test("what was said is found", async () => {
  await world.activate();
  await world.page.press("alt", "shift", "f");
  const input = await until("the search", () => world.page.find(".palette-input"));
  await input.type("subtotal");
  await says("under the subtotal now");
  world.picture("follow-search");
  await click("[role=option]", "Tax in the cart");
  await until("the session", async () =>
    (await world.page.script("return document.querySelector('h1')?.textContent")).includes("Tax"),
  );
});

test("the agent is restarted, the session forked, archived and brought back", async () => {
  await command("Restart agent");
  await says("resumed in the same conversation");
  world.picture("follow-restart");
  await click("[role=dialog] footer button", "Restart");
  await says("Tax in the cart was restarted");
  await becomes(cart, "idle");
  await command("Fork session");
  await says("notes.md");
  world.picture("follow-fork");
  await click("[role=dialog] footer button", "Fork");
  await says("Forked from");
  await world.call("stop_sessions", { id: cart });
  await becomes(cart, "exited");
  await row("Tax in the cart, Stopped");
  await command("Archive session");
  await says("was archived");
  await command("Archived sessions");
  await says("Bring back");
  world.picture("follow-archive");
  await click("[role=dialog] li button", "Bring back");
  await until("it on the list", async () => (await session(cart)).archivedAt === null);
  assert.equal((await session(cart)).status, "exited");
});
