// Actions on an existing session in the real window: a question, the queue, the evidence, cost, search, and
// the ways to resume. The browser tests cover each in detail; these check that they work in WebKit and that
// sessions outlive the window.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isAlive, until } from "./world/processes.js";
import { makeRepository } from "./world/repository.js";
import { KEYS } from "./world/webdriver.js";
import { World } from "./world/world.js";

const SAID = "The cart shows the tax under the subtotal now.";

let world;
let project;
let cart;
let busy;

before(async () => {
  world = await World.start();
  await world.open();
  const prices = "models:\n  - { model: fake, input: 5, output: 25 }\n";
  writeFileSync(join(world.data, "prices.yaml"), prices);
  const path = makeRepository(join(world.home, "storefront"), world.env);
  project = (await world.call("add_project", { path, trust: true })).id;
  cart = await made("Tax in the cart", `use fake 240000 21000\nend ${SAID}`);
  busy = await made("Sign-in", `work ${join(world.home, "never")}`);
  await world.becomes(cart, "idle");
});
after(() => world?.end());

async function made(title, prompt) {
  const asked = { projectId: project, agent: "claude", title, prompt };
  return (await world.call("create_session", asked)).id;
}

/** Returns the queued messages, in their order. */
async function queue() {
  const all = await world.call("list_messages", { id: busy });
  const waiting = all.filter(({ state }) => state === "queued");
  return waiting.toSorted((a, b) => a.place - b.place).map(({ text }) => text);
}

/** Waits until exactly these messages are queued, in this order. */
const queued = (...texts) =>
  until(`the queue ${texts.join(" | ")}`, async () => (await queue()).join() === texts.join());

const field = (selector) => until(selector, () => world.page.find(selector));

/** Runs a command by its name in the palette. */
async function command(name) {
  await world.click("button.find", "");
  await (await field(".palette-input")).type(name);
  await world.click("[role=option]", name);
}

/** Kills the agent of a session, and nothing else. */
async function killAgent(id) {
  const { workspacePath } = await world.session(id);
  const isAgent = (pid) => {
    try {
      const [program] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return readlinkSync(`/proc/${pid}/cwd`) === workspacePath && program.endsWith("claude");
    } catch {
      // It ended in the meantime.
      return false;
    }
  };
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isAgent(name));
  assert.equal(pids.length, 1, `processes of the agent: ${pids.join()}`);
  process.kill(Number(pids[0]), "SIGKILL");
}

test("a question is answered by its button", async () => {
  const id = await made("Migrate", "offer npm run migrate\nsay Migrated.");
  await world.row("Migrate");
  await world.says("npm run migrate");
  await field(".answer[aria-disabled=false]");
  await world.picture("follow-question");
  await world.click(".answer[aria-disabled=false]", "don't ask again");
  await world.becomes(id, "idle");
  assert.match(await world.output(id), /answered Yes, and don't ask again[^]*Migrated\./);
});

/** Presses a button of a queued message, which is visible while the row has the pointer or the focus. */
async function press(place, name) {
  const row = `ol li:nth-child(${place})`;
  await world.page.script("document.querySelector(arguments[0]).focus()", `${row} button`);
  await world.click(`${row} button`, name);
}

test("messages are queued in sight, and can be moved, edited and deleted", async () => {
  await world.becomes(busy, "running");
  await world.row("Sign-in");
  const line = await field("textarea[aria-label='Message to Sign-in']");
  await line.type(`say Sessions first.${KEYS.enter}`);
  await queued("say Sessions first.");
  await line.type(`Run the whole suite.${KEYS.enter}`);
  await queued("say Sessions first.", "Run the whole suite.");
  await world.says("Run the whole suite.");
  await world.picture("follow-queue");
  await press(2, "Deliver earlier");
  await queued("Run the whole suite.", "say Sessions first.");
  await world.says("Run the whole suite.");
  await press(1, "Edit the message");
  const draft = await field("textarea[aria-label='Edit the message']");
  await world.page.press("control", "a");
  await draft.type(`Run the unit tests.${KEYS.enter}`);
  await queued("Run the unit tests.", "say Sessions first.");
  await world.says("Run the unit tests.");
  await press(1, "Delete the message");
  await queued("say Sessions first.");
});

test("pressing the status explains it", async () => {
  await world.click("button.status", "Running");
  await world.says("UserPromptSubmit hook");
  await world.says("→ running");
  await world.picture("follow-why");
  await world.page.press("escape");
});

test("a message that is sent now interrupts the agent", async () => {
  await world.click("ol li button", "Send now");
  const said = /interrupted[^]*Sessions first\./;
  await until("its turn", async () => said.test(await world.output(busy)));
  assert.deepEqual(await queue(), []);
});

test("cost has a view", async () => {
  await command("Show what agents cost");
  await world.says("$1.7");
  await world.says("Tax in the cart");
  await world.picture("follow-cost");
});

test("search finds a conversation and opens its session", async () => {
  await command("Search conversations");
  await (await field(".palette-input[placeholder^='Search text']")).type("subtotal");
  await world.says("under the subtotal now");
  await world.picture("follow-search");
  await world.click("[role=option]", "Tax in the cart");
  await until("the session in view", async () =>
    (await world.page.script("return document.querySelector('h1')?.textContent ?? ''")).includes(
      "Tax in the cart",
    ),
  );
});

test("sessions outlive the window and are listed in the next one", async () => {
  const { pid } = JSON.parse(readFileSync(join(world.data, "engine.json"), "utf8"));
  await world.close();
  await until("the end of the engine", () => !isAlive(pid));
  await world.open();
  await world.row("Tax in the cart");
  await field("textarea[aria-label='Message to Tax in the cart']");
  await until("its screen", async () => (await world.output(cart)).includes(SAID));
  assert.equal((await world.session(cart)).status, "idle");
});

test("an agent that was killed is resumed by a button", async () => {
  await killAgent(cart);
  await world.says("Ended by a signal");
  await world.picture("follow-resume");
  await world.click("[data-strip] button", "Resume");
  await world.becomes(cart, "idle");
  await until("its conversation", async () => (await world.output(cart)).includes("resumed "));
});

test("a lost conversation is reported with a choice", async () => {
  rmSync(join(world.home, ".claude", "projects"), { recursive: true });
  await killAgent(cart);
  await world.says("The agent no longer has this conversation");
  await world.picture("follow-no-conversation");
  await world.click("[data-strip] button", "New conversation");
  await world.becomes(cart, "idle");
  assert.doesNotMatch(await world.output(cart), /resumed /);
});
