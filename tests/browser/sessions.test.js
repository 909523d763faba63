// Sessions: created in the dialog, typed into, answered, and set up by commands that fail.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";

const CART = "Show the tax in the cart";
const SEARCH = "Make the search forgive typing errors";
const BUILD = "Speed up the build";
const NOTES = "Write the release notes since 1.2";
const FILES = {
  "src/cart/cart.ts": "export const cart = { lines: [] };\n",
  "src/cart/tax.ts": "export const tax = (net, rate) => net * rate;\n",
  "src/cart/totals.ts": "export const totals = (cart) => cart;\n",
  "test/cart/totals.test.ts": "// The totals of a cart.\n",
};
const SETUP = "setup:\n  - sh: test -f ../ready || { echo 'the database is not there'; exit 3; }\n";

let world;
let page;
let project;

begin(async (started) => {
  world = started;
  page = world.page;
  project = await world.storefront(FILES);
  world.script(
    CART,
    "say \u001b[1m●\u001b[0m I'll look at how the cart adds up first.",
    "say ",
    "say \u001b[32m●\u001b[0m \u001b[1mRead\u001b[0m(src/checkout.ts)",
    "say   \u001b[2m⎿  Read 84 lines\u001b[0m",
    "say \u001b[32m●\u001b[0m \u001b[1mUpdate\u001b[0m(src/cart/total.ts)",
    "say   \u001b[2m⎿  12 lines added, 3 removed\u001b[0m",
    "say ",
    "say \u001b[1m●\u001b[0m The cart shows the tax under the subtotal now, by the rate of the address.",
    "say ",
  );
  world.script(
    SEARCH,
    "say \u001b[1m●\u001b[0m A trigram index would do. I need to migrate the database for it.",
    "say ",
    "offer npm run migrate -- add-trigram-index",
    "say ",
    "say \u001b[1m●\u001b[0m Migrated. “chekout” finds “checkout” now.",
  );
  world.script(
    NOTES,
    "say \u001b[32m●\u001b[0m \u001b[1mBash\u001b[0m(git log --oneline v1.2..)",
    "say   \u001b[2m⎿  14 commits\u001b[0m",
    "say ",
    `work ${world.at("notes-written")}`,
    "end The notes are in docs/releases/1.3.md.",
  );
  world.script(BUILD, "ask npm run bench", "say Measured.");
});

/** Types into the terminal in view, one key at a time. */
async function type(text) {
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type(text);
}

/** Waits until a button is enabled. */
const enabled = (button) => button.and(page.locator("[aria-disabled=false]")).waitFor();

const session = async (title) =>
  (await world.call("GET", "/api/sessions")).find((one) => one.title === title);

test("a project without sessions teaches the first one", async () => {
  await page.getByText("Start an agent in storefront").waitFor();
  await world.picture("first-session");
});

test("the dialog previews what it will create while a task is typed, then creates it", async () => {
  await page.getByRole("main").getByRole("button", { name: "New session" }).click();
  const dialog = world.dialog("New session");
  await dialog.getByRole("textbox", { name: "Task" }).fill(CART);
  const preview = dialog.getByRole("region", { name: "What will happen" });
  await preview.getByText("feature/show-the-tax-in-the-cart").waitFor();
  await preview.getByText("main at").waitFor();
  await preview.getByText(".env").waitFor();
  await world.picture("new-session", { forGuide: true });
  await dialog.getByRole("textbox", { name: "Branch" }).fill("tax/cart");
  await preview.getByText("tax/cart").waitFor();
  await dialog.getByRole("textbox", { name: "Branch" }).fill("");
  await preview.getByText("feature/show-the-tax-in-the-cart").waitFor();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { level: 1, name: CART }).waitFor();
  await world.terminal.getByText("The cart shows the tax").waitFor();
  await page.locator(".xterm-helper-textarea:focus").waitFor();
  const { id, branch } = await session(CART);
  assert.equal(branch, "feature/show-the-tax-in-the-cart");
  await world.status(id, "idle");
  await world.row(/Show the tax in the cart, Idle/).waitFor();
  await page.getByText("from the agent's hook").waitFor();
  await page.locator(".letterboxed").waitFor({ state: "detached" });
  await world.picture("session", { forGuide: true });
});

test("an @ in a message offers the files of the worktree, and pasted pictures become paths", async () => {
  const message = page.getByRole("textbox", { name: `Message to ${CART}` });
  const list = page.getByRole("listbox", { name: "Files" });
  await message.click();
  await page.keyboard.type("Round half cents once, in @ca");
  await list.getByRole("option", { name: "test/cart/totals.test.ts" }).waitFor();
  await world.picture("files", { forGuide: true });
  await page.keyboard.type("tot");
  await list.getByRole("option", { name: "src/cart/cart.ts" }).waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await until("the file", async () =>
    /^Round half cents once, in @src\/cart\/totals\.ts/.test(await message.inputValue()),
  );
  await message.fill("Like in ");
  await message.evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(["a picture"], "mock.png", { type: "image/png" }));
    const pasted = { clipboardData, bubbles: true, cancelable: true };
    field.dispatchEvent(new ClipboardEvent("paste", pasted));
  });
  await until("the path", async () => /mock\.png/.test(await message.inputValue()));
  await message.fill("");
});

test("a task that runs once takes no messages and ends as done", async () => {
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "New session" }).first().click();
  const dialog = world.dialog("New session");
  await dialog.getByRole("textbox", { name: "Task" }).fill(NOTES);
  await dialog.getByRole("switch", { name: "One-shot (no questions)" }).click();
  await dialog.getByText("A one-shot run cannot ask, so it only reads.").waitFor();
  await dialog.getByText("feature/write-the-release-notes").waitFor();
  await world.everyLook("run-once");
  await dialog.getByRole("switch", { name: "Conductor" }).click();
  assert.equal(
    await dialog.getByRole("switch", { name: "One-shot (no questions)" }).isChecked(),
    false,
  );
  await dialog.getByRole("switch", { name: "One-shot (no questions)" }).click();
  assert.equal(await dialog.getByRole("switch", { name: "Conductor" }).isChecked(), false);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { level: 1, name: NOTES }).waitFor();
  await page.getByText("Runs its task once and takes no messages.").waitFor();
  await world.row(/Write the release notes since 1.2, Running/).waitFor();
  await world.terminal.getByText("14 commits").waitFor();
  await world.everyLook("runs-once", { forGuide: false });
  writeFileSync(world.at("notes-written"), "");
  await world.row(/Write the release notes since 1.2, Done/).waitFor();
  await page.getByText(/^Done /).waitFor();
  await world.terminal.getByText("The notes are in").waitFor();
  await world.everyLook("ran-once", { forGuide: false });
  assert.equal(await page.getByRole("button", { name: /^Needs you \d/ }).count(), 0);
});

test("a terminal echoes typed keys", async () => {
  await world.session({ projectId: project.id, title: "Dev server", agent: "shell" });
  await world.row(/Dev server/).click();
  const { id } = await session("Dev server");
  await world.terminal.getByText("$").first().waitFor();
  await type("echo typed-$((6*7))\n");
  await world.terminal.getByText("typed-42").last().waitFor();
  await world.shows(id, "typed-42");
  await type("echo $PORT $DOWNBEAT_PORT\n");
  await world.terminal.getByText(/\d{4,5} \d{4,5}/).waitFor();
  await type("clear; git status --short --branch; git log --oneline; ls -A\n");
  await world.terminal.getByText("Begin the storefront").waitFor();
  await world.picture("terminal", { forGuide: true });
});

test("a question appears in the sidebar, the count and the list, and the answer closes it", async () => {
  const { id } = await world.session({ projectId: project.id, prompt: SEARCH, title: "Search" });
  await world
    .row(/Search, Waiting for you/)
    .getByText("asks")
    .waitFor();
  await page.getByRole("button", { name: "Needs you 1" }).click();
  const list = page.getByRole("list", { name: "Sessions that need you" });
  await list.getByText("add-trigram-index").waitFor();
  await page.getByLabel("Last lines of Search").getByText("Do you want to proceed?").waitFor();
  assert.equal(await page.title(), "(1) Downbeat");
  await enabled(list.getByRole("button", { name: "No", exact: true }));
  await world.picture("needs-you", { forGuide: true });
  await list.getByRole("button", { name: "Open", exact: true }).click();
  const question = page.getByRole("region", { name: "Open question" });
  const answer = question.getByRole("button", { name: "Yes, and don't ask again" });
  await enabled(answer);
  await world.terminal.getByText("Do you want to proceed?").waitFor();
  await world.everyLook("scripted-question", { forGuide: false });
  // Answering moves the agent's selection to the answer, and the question closes.
  await answer.click();
  await question.waitFor({ state: "detached" });
  await world.terminal.getByText("answered Yes, and don't ask again for this command").waitFor();
  await world.status(id, "idle");
  await world.terminal.getByText("finds").waitFor();
  await world.row(/Search, Idle/).waitFor();
});

test("a question without known answers is answered in its terminal", async () => {
  const { id } = await world.session({ projectId: project.id, prompt: BUILD, title: "Build" });
  await world.row(/Build, Waiting for you/).waitFor();
  await page.getByRole("button", { name: "Needs you 1" }).click();
  const list = page.getByRole("list", { name: "Sessions that need you" });
  await list.getByRole("button", { name: "Open and answer" }).click();
  await page.getByRole("button", { name: "Answer in the terminal" }).waitFor();
  await world.terminal.getByText("Do you want to proceed?").waitFor();
  await type("1\n");
  await world.status(id, "idle");
  await world.terminal.getByText("Measured.").waitFor();
  await page.getByRole("region", { name: "Open question" }).waitFor({ state: "detached" });
});

test("the notices list each session once", async () => {
  await page.getByRole("button", { name: /^Notices/ }).click();
  const notices = page.getByRole("dialog", { name: "Notices" });
  // The turn has ended; its notice reaches the list a moment later.
  const about = notices.getByRole("listitem").filter({ hasText: /Build\s+finished/ });
  await about.getByText("1 earlier").click();
  await about.getByText("needs input: Bash: npm run bench").waitFor();
  await world.picture("notices", { forGuide: true });
  await page.getByRole("button", { name: "Mark all as read" }).click();
  await page.keyboard.press("Escape");
  await world.button("Notices").waitFor();
});

test("set-up commands need approval, and offer Retry and Start anyway if they fail", async () => {
  writeFileSync(join(project.path, "downbeat.yaml"), SETUP);
  await page.getByRole("button", { name: "New session", exact: true }).first().click();
  const dialog = world.dialog("New session");
  await dialog.getByRole("textbox", { name: "Task" }).fill("Seed the database");
  await dialog.getByText("Approve the set-up commands").waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Create session" }).isDisabled());
  await dialog.getByText(/I have read these commands/).click();
  await world.picture("approve-set-up", { forGuide: true });
  await dialog.getByRole("button", { name: "Create session" }).click();
  await page.getByText("Set-up failed, so the agent has not started").waitFor();
  await world.terminal.getByText("the database is not there").waitFor();
  await world.row(/Seed the database, Set-up failed/).waitFor();
  await world.picture("set-up-failed", { forGuide: true });

  const made = await session("Seed the database");
  writeFileSync(join(made.workspacePath, "..", "ready"), "");
  await world.button("Retry").click();
  await world.status(made.id, "idle");
  await world.button("Retry").waitFor({ state: "detached" });
});

test("Start anyway starts the agent without the set-up", async () => {
  const before = await session("Seed the database");
  rmSync(join(before.workspacePath, "..", "ready"));
  const { id } = await world.session({ projectId: project.id, title: "Without a database" });
  await world.status(id, "setup_failed");
  await world.row(/Without a database/).click();
  await world.button("Start anyway").click();
  await world.status(id, "idle");
});
