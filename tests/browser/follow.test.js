// Actions on an existing session: its message queue, the explanation of its status, its cost, search in its
// conversation, and the ways to continue its work.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";
import { declareDuet } from "./world/duet.js";

const CART = "Show the tax in the cart";
const LONG = "Move sign-in to sessions";
const LINES = "Round each line by itself";

let world;
let page;
let project;
let cart;
let busy;

begin(async (started) => {
  world = started;
  page = world.page;
  world.price();
  project = await world.storefront();
  const said = "The cart shows the tax under the subtotal now, by the rate of the address.";
  world.script(CART, "write notes.md half", "use fake 240000 21000", `end ${said}`);
  world.script(LONG, "use fake 9000 700", "say Sessions first, then the refresh.", world.work);
  world.script(LINES, "say Rounded line by line, two totals change by a cent.");
  cart = await world.session({ projectId: project.id, title: "Tax in the cart", prompt: CART });
  busy = await world.session({ projectId: project.id, title: "Sign-in", prompt: LONG });
  await world.status(cart.id, "idle");
  await world.status(busy.id, "running");
});

const messages = async () =>
  (await world.call("GET", `/api/sessions/${busy.id}/messages`))
    .filter(({ state }) => state === "queued")
    .map(({ text }) => text);
const session = async (title) =>
  (await world.call("GET", "/api/sessions")).find((one) => one.title === title);
const menu = async (title, entry) => {
  await world.row(title).click({ button: "right" });
  // The menu entries of the session in view also show their keys.
  await page.getByRole("menuitem", { name: new RegExp(`^${entry}`) }).click();
};

test("messages to a working agent are queued in sight, and can be moved, edited and deleted", async () => {
  await world.row(/^Sign-in/).click();
  const composer = page.getByRole("textbox", { name: "Message to Sign-in" });
  const queue = page.getByRole("list", { name: "Messages waiting for Sign-in" });
  for (const text of [
    "Keep the old cookie readable for one release.",
    "Run the whole suite, too.",
  ]) {
    await composer.fill(text);
    await page.keyboard.press("Enter");
    await queue.getByText(text).waitFor();
  }
  await world.everyLook("queue");
  const second = queue.getByRole("listitem").filter({ hasText: "Run the whole suite" });
  await second.hover();
  await second.getByRole("button", { name: "Deliver earlier" }).click();
  await until("the other order", async () => (await messages())[0].startsWith("Run the whole"));
  await second.hover();
  await second.getByRole("button", { name: "Edit the message" }).click();
  const draft = page.getByRole("textbox", { name: "Edit the message" });
  await draft.fill("Run the unit tests, too.");
  await page.keyboard.press("Enter");
  await queue.getByText("Run the unit tests, too.").waitFor();
  const first = queue.getByRole("listitem").filter({ hasText: "Run the unit tests" });
  await first.hover();
  await first.getByRole("button", { name: "Delete the message" }).click();
  await first.waitFor({ state: "detached" });
  assert.deepEqual(await messages(), ["Keep the old cookie readable for one release."]);
});

test("pressing the status explains it", async () => {
  await page.getByRole("button", { name: "Running. Click to see why" }).click();
  const why = page.getByRole("dialog", { name: "Why this status" });
  await why.getByText("UserPromptSubmit hook", { exact: false }).first().waitFor();
  await why.getByText("→ running").waitFor();
  await world.everyLook("why");
  await page.keyboard.press("Escape");
  await why.waitFor({ state: "detached" });
});

test("the cost of agents has its own view", async () => {
  await world.command("Show what agents cost");
  await page.getByRole("heading", { level: 1, name: "Cost" }).waitFor();
  await page.getByRole("button", { name: "Tax in the cart" }).waitFor();
  await page
    .getByText(/^\$1\.7/)
    .first()
    .waitFor();
  await world.everyLook("cost");
  await page.getByRole("button", { name: "Tax in the cart" }).click();
  await page.getByRole("heading", { level: 1, name: "Tax in the cart" }).waitFor();
});

test("search finds a conversation and opens its session", async () => {
  await world.row(/^Sign-in/).click();
  await page.keyboard.press("Alt+Shift+F");
  const palette = page.getByRole("dialog", { name: "Search conversations" });
  await palette.getByText("Searches conversations").waitFor();
  await palette.getByRole("combobox").fill("subtotal");
  const hit = palette.getByRole("option", { name: /Tax in the cart/ });
  await hit.first().waitFor();
  await world.everyLook("search");
  await palette.getByRole("combobox").fill("zebra crossing");
  await palette.getByText("No matches for “zebra crossing”").waitFor();
  await palette.getByRole("combobox").fill("subtotal");
  await hit.first().click();
  await page.getByRole("heading", { level: 1, name: "Tax in the cart" }).waitFor();
});

test("an agent is restarted in the same conversation", async () => {
  await world.terminal.getByText("by the rate of the address").waitFor();
  await page.keyboard.press("Alt+Shift+R");
  const dialog = world.dialog("Restart the agent of “Tax in the cart”?");
  await dialog.waitFor();
  await world.everyLook("restart");
  await dialog.getByRole("button", { name: "Restart", exact: true }).click();
  await page.getByText("Tax in the cart was restarted").waitFor();
  await world.shows(cart.id, "resumed");
  // A session that is starting cannot be forked.
  await world.row(/^Tax in the cart, (Ready|Idle)/).waitFor();
});

test("a fork starts from the conversation and lists the files it takes along", async () => {
  const dialog = world.dialog("Fork “Tax in the cart”");
  // The key does nothing as long as the restarted session starts, which its row may not show yet.
  await until("the dialog", async () => {
    await page.keyboard.press("Alt+Shift+D");
    return dialog.waitFor({ timeout: 2_000 }).then(
      () => true,
      () => false,
    );
  });
  await dialog.getByText("1 uncommitted file:").waitFor();
  await dialog.getByText("notes.md").waitFor();
  await dialog.getByRole("textbox", { name: "What should the fork do?" }).fill(LINES);
  await world.everyLook("fork");
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Tax in the cart (fork)" }).waitFor();
  await page.getByText("Forked from").waitFor();
  await world.terminal.getByText("two totals change by a cent").waitFor();
  await world.row(/^Tax in the cart \(fork\), Idle/).waitFor();
});

test("another agent takes over in the same worktree, with a summary", async () => {
  const { id, workspacePath, branch } = await session("Tax in the cart (fork)");
  // The agent is declared while the page is open.
  await declareDuet(world);
  await menu(/^Tax in the cart \(fork\), /, "Switch agent…");
  const dialog = world.dialog("Switch the agent of “Tax in the cart (fork)”");
  await dialog.getByLabel(/^Agent: Duet/).waitFor();
  const note = "Keep the totals that the mails show.";
  await dialog.getByRole("textbox", { name: "Note to the new agent" }).fill(note);
  await world.everyLook("hand-over");
  await dialog.getByRole("button", { name: "Switch agent", exact: true }).click();
  await page.getByText("Tax in the cart (fork) has a new agent").waitFor();
  await world.terminal.getByText("Totals come from a wrapper now.").waitFor();
  const now = await world.call("GET", `/api/sessions/${id}`);
  assert.deepEqual([now.agent, now.workspacePath, now.branch], ["duet", workspacePath, branch]);
  assert.deepEqual(
    now.earlierAgents.map(({ agent }) => agent),
    ["claude"],
  );
  const told = readFileSync(world.at("duet-was-told"), "utf8");
  assert.ok(told.includes(note) && told.includes("notes.md"), told);
});

test("a session is archived and restored to the list", async () => {
  await world.call("POST", "/api/sessions/stop", { id: cart.id });
  await world.row(/^Tax in the cart, Stopped/).click();
  await page.keyboard.press("Alt+Shift+E");
  await page.getByText("Tax in the cart was archived").waitFor();
  await world.row(/^Tax in the cart, /).waitFor({ state: "detached" });
  await world.command("Archived sessions");
  const dialog = world.dialog("Archived sessions of storefront");
  await dialog.getByText("Tax in the cart").waitFor();
  await world.everyLook("archive");
  await dialog.getByRole("button", { name: "Restore" }).click();
  await world.row(/^Tax in the cart, Stopped/).waitFor();
  await page.keyboard.press("Escape");
});

test("a lost conversation is reported with a choice", async () => {
  rmSync(join(world.home, ".claude", "projects"), { recursive: true });
  await world.row(/^Sign-in/).click();
  await world.row(/^Tax in the cart, Stopped/).click();
  await page.getByText("The agent no longer has this conversation").waitFor();
  await world.everyLook("no-conversation");
  await page.getByRole("button", { name: "New conversation" }).click();
  await world.status(cart.id, "idle");
  await page.getByRole("button", { name: "New conversation" }).waitFor({ state: "detached" });
});
