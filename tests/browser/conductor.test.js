// A conductor and its workers: cards, the ways to kill, removal with its backup, and Undo.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";

const DONE = "\u001b[32m●\u001b[0m";
const TASKS = {
  "Checkout rewrite": "Rewrite the checkout; delegate the parts",
  "auth-module": "Move sign-in to sessions with refresh tokens",
  "api-endpoints": "Give the cart and the orders their endpoints",
  "unit-tests": "Cover the price rules with unit tests",
};

let world;
let page;
let project;
const ids = {};

function scripts() {
  const head = (text) => `say \u001b[1m●\u001b[0m ${text}`;
  const step = (tool, on, result) => [
    `say ${DONE} \u001b[1m${tool}\u001b[0m(${on})`,
    `say   \u001b[2m⎿  ${result}\u001b[0m`,
  ];
  world.script(
    TASKS["Checkout rewrite"],
    head("The checkout has three parts that do not touch each other. One worker for each."),
    "say ",
    ...step("spawn_worker", "auth-module", "feature/auth-module from main"),
    ...step("spawn_worker", "api-endpoints", "feature/api-endpoints from main"),
    ...step("spawn_worker", "unit-tests", "feature/unit-tests from main"),
    "say ",
    head("All three are at work. I look at what they hand in as soon as one is done."),
    "say ",
  );
  world.script(
    TASKS["auth-module"],
    head("Sessions first, then the refresh."),
    ...step("Read", "src/auth/token.ts", "Read 132 lines"),
    ...step("Update", "src/auth/session.ts", "48 lines added, 20 removed"),
    ...step("Bash", "npm test -- auth", "18 passed"),
    world.work,
  );
  world.script(
    TASKS["api-endpoints"],
    head("The orders need a new table."),
    ...step("Write", "src/api/orders.ts", "71 lines"),
    "ask npm run migrate -- create-orders",
  );
  world.script(
    TASKS["unit-tests"],
    ...step("Write", "test/prices.test.ts", "64 lines"),
    "write prices.test.ts half of the rules",
    "write .env STRIPE_KEY=changed",
    ...step("Bash", "npm test -- prices", "31 passed"),
    head("Rounding and discounts are covered. Tax is left."),
  );
}

begin(async (started) => {
  world = started;
  page = world.page;
  project = await world.storefront();
  scripts();
  for (const [title, prompt] of Object.entries(TASKS)) {
    const parent = ids["Checkout rewrite"];
    const made = await world.session({
      projectId: project.id,
      title,
      prompt,
      ...(parent ? { parent } : { conductor: true }),
    });
    ids[title] = made.id;
  }
});

const get = (title) => world.call("GET", `/api/sessions/${ids[title]}`);
const card = (title) => page.getByRole("article", { name: title, exact: true });
const tab = (name) => page.locator("label", { hasText: name });

test("workers appear below their conductor", async () => {
  await world.row(/^Checkout rewrite/).click();
  for (const [title, status] of [
    ["Checkout rewrite", "idle"],
    ["auth-module", "running"],
    ["api-endpoints", "waiting"],
    ["unit-tests", "idle"],
  ]) {
    await world.status(ids[title], status);
  }
  await world.row(/^api-endpoints, Waiting for you/).waitFor();
  await world.row(/^auth-module, Running/).waitFor();
  await world.row(/^unit-tests, Idle/).waitFor();
  await world.row(/^Checkout rewrite, Idle/).waitFor();
  assert.equal(await world.row(/^Checkout rewrite/).getAttribute("aria-level"), "2");
  assert.equal(await world.row(/^unit-tests/).getAttribute("aria-level"), "3");
  await world.terminal.getByText("All three are at work").waitFor();
  await world.picture("scripted-conductor");
});

test("the Workers view shows each worker with its last lines and its question", async () => {
  await tab("Workers").click();
  await card("auth-module").getByText("18 passed").waitFor();
  await card("auth-module").getByText("feature/auth-module").waitFor();
  await card("api-endpoints").getByText("Waiting for you").waitFor();
  await card("api-endpoints").getByText("create-orders").first().waitFor();
  await card("unit-tests").getByText("Tax is left.").waitFor();
  await world.picture("scripted-workers");
});

test("the palette lists the workers", async () => {
  await page.keyboard.press("Control+K");
  await page.getByPlaceholder("Find a session, a project or a command…").fill("work");
  await page.getByRole("option", { name: /Kill all workers/ }).waitFor();
  await page.getByPlaceholder("Find a session, a project or a command…").fill("api");
  await page.getByRole("option", { name: /api-endpoints/ }).waitFor();
  await world.picture("palette", { forGuide: true });
  await page.keyboard.press("Escape");
  await world.dialog().waitFor({ state: "detached" });
});

test("the views work in light colours", async () => {
  await world.call("PATCH", "/api/settings", { theme: "light" });
  await page.locator('html[data-theme="light"]').waitFor();
  await world.picture("workers-light");
  await world.call("PATCH", "/api/settings", { theme: "system" });
  await page.locator('html[data-theme="dark"]').waitFor();
});

test("the views fit at half a screen and on a phone", async () => {
  await world.narrow(async (name) => {
    await card("unit-tests").getByRole("button", { name: "Kill worker" }).waitFor();
    await world.picture(`workers-${name}`, { forGuide: name === "phone" });
    await page.getByRole("button", { name: "Show the sidebar" }).click();
    await world.row(/^auth-module/).waitFor();
    await world.picture(`sidebar-${name}`);
    await page.keyboard.press("Escape");
    await world.row(/^auth-module/).waitFor({ state: "detached" });
  });
  await world.row(/^auth-module/).waitFor();
});

test("a message is sent to a worker from its card", async () => {
  await card("unit-tests").getByRole("button", { name: "Send…" }).click();
  await page.getByRole("textbox", { name: "Message to unit-tests" }).fill("say Tax, too, then.");
  await page.keyboard.press("Enter");
  await card("unit-tests").getByText("Tax, too, then.").waitFor();
});

test("Kill on a card asks first and kills only that worker", async () => {
  await card("unit-tests").getByRole("button", { name: "Kill worker" }).click();
  const dialog = world.dialog("Kill worker “unit-tests”?");
  await dialog.waitFor();
  await world.picture("kill-worker", { forGuide: true });
  await dialog.getByRole("button", { name: "Kill worker" }).click();
  await card("unit-tests").getByText("Killed").waitFor();
  assert.equal((await get("unit-tests")).status, "killed");
  assert.equal((await get("auth-module")).status, "running");
});

test("Kill worker is in the context menu", async () => {
  await world.row(/^api-endpoints/).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Kill worker…" }).waitFor();
  await world.picture("context-menu");
  await page.getByRole("menuitem", { name: "Kill worker…" }).click();
  await world.dialog().getByRole("button", { name: "Kill worker" }).click();
  await world.row(/^api-endpoints, Killed/).waitFor();
});

test("Kill all workers leaves the conductor", async () => {
  await world.command("Kill all workers");
  const dialog = world.dialog("Kill all workers of “Checkout rewrite”?");
  await dialog.getByRole("button", { name: "Kill all workers" }).click();
  await world.row(/^auth-module, Killed/).waitFor();
  assert.equal((await get("Checkout rewrite")).status, "idle");
});

test("removal names unsaved work, saves it, and Undo restores it", async () => {
  const path = (await get("unit-tests")).workspacePath;
  await world.row(/^unit-tests/).click();
  await page.getByRole("main").getByRole("button", { name: "Remove worktree…" }).click();
  const dialog = world.dialog("Remove “unit-tests”");
  await dialog.getByText("Saved before removal under").waitFor();
  await world.picture("remove", { forGuide: true });
  await dialog.getByText("1 uncommitted file").waitFor();
  await dialog.getByText("prices.test.ts").waitFor();
  await dialog.getByText("1 copied file was changed").waitFor();
  await dialog.getByRole("button", { name: "Save and remove" }).click();
  await page.getByText("unit-tests: worktree removed").waitFor();
  assert.ok(!existsSync(path));
  await world.picture("removed", { forGuide: true });
  await world.button("Undo").click();
  await page.getByText("unit-tests: work restored").waitFor();
  assert.equal(readFileSync(join(path, "prices.test.ts"), "utf8"), "half of the rules");
  assert.equal(readFileSync(join(path, ".env"), "utf8"), "STRIPE_KEY=changed");
  assert.equal((await get("unit-tests")).branch, "feature/unit-tests");
});

test("a killed worker is resumed in its worktree", async () => {
  await page.getByRole("main").getByRole("button", { name: "Resume", exact: true }).click();
  await until("the worker again", async () => (await get("unit-tests")).status === "idle");
  await world.terminal.getByText(/resumed/).waitFor();
});
