// Shells beside an agent: opened, typed into, kept over a reload and a crash of the engine, closed,
// and ended with their session.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { until } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";

const CART = "Show the tax in the cart";

let world;
let page;
let id;

begin(async (started) => {
  world = started;
  page = world.page;
  const project = await world.storefront();
  world.script(
    CART,
    "say \u001b[1m●\u001b[0m The cart shows the tax under the subtotal now, by the rate of the address.",
    "say ",
  );
  ({ id } = await world.session({ projectId: project.id, prompt: CART, title: CART }));
  await world.status(id, "idle");
  await world.row(/Show the tax in the cart/).click();
  await world.terminal.getByText("The cart shows the tax").waitFor();
});

const tab = (name) => page.getByRole("tab", { name });
const chosen = (name) => page.getByRole("tab", { name, selected: true }).waitFor();
const session = () => world.call("GET", `/api/sessions/${id}`);

/** Types into the terminal in view, one key at a time. */
async function type(text) {
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type(text);
}

test("a shell opens in the worktree as a tab beside the agent", async () => {
  assert.equal(await page.getByRole("tab").count(), 0, "no tabs before there is a second terminal");
  await world.button("New shell").click();
  await chosen("Shell 1");
  await page.getByRole("group", { name: `Shell 1 of ${CART}` }).waitFor();
  await world.terminal.getByText("$").first().waitFor();
  await type("echo $PORT at $(basename $PWD)\n");
  const { port } = await session();
  await world.terminal.getByText(`${port} at show-the-tax-in-the-cart`).waitFor();
  await tab("Agent").click();
  await world.terminal.getByText("The cart shows the tax").waitFor();
  assert.equal((await world.call("GET", "/api/sessions")).length, 1);
});

test("a key opens another shell, keys switch tabs, and a dot marks a running command", async () => {
  await page.keyboard.press("Alt+Shift+S");
  await chosen("Shell 2");
  await world.terminal.getByText("$").first().waitFor();
  await type(`clear; cat ${world.at("hold")}\n`);
  await tab(/Shell 2 cat/).waitFor();
  await page.keyboard.press("Alt+Shift+ArrowLeft");
  await chosen("Shell 1");
  await world.terminal.getByText("at show-the-tax-in-the-cart").first().waitFor();
  await type("clear; git status --short --branch; git log --oneline; ls -A\n");
  await world.terminal.getByText("Begin the storefront").waitFor();
  await page.mouse.move(600, 600);
  await world.picture("shells", { forGuide: true });
});

test("shells survive a reload and an engine that takes over", async () => {
  await page.reload();
  await chosen("Shell 1");
  await world.terminal.getByText("Begin the storefront").waitFor();
  // Both connections of the page move to the next engine: its changes, and the terminal in view.
  const back = ["/api/events", "/terminal"].map((path) =>
    page.waitForEvent("websocket", (socket) => new URL(socket.url()).pathname.endsWith(path)),
  );
  await world.startEngine();
  await Promise.all(back);
  await page.locator(".terminal-view.away").waitFor({ state: "detached" });
  await tab(/Shell 2 cat/).waitFor();
  await type("echo back-$((6*7))\n");
  await world.terminal.getByText("back-42").last().waitFor();
});

test("a command that finished out of view is marked until its shell is looked at", async () => {
  writeFileSync(world.at("hold"), "");
  await tab(/Shell 2 Finished while you were away/).waitFor();
  await tab(/Shell 2/).click();
  await chosen("Shell 2");
});

test("closing a shell ends only that shell, and asks first if a command runs in it", async () => {
  await type("sleep 700\n");
  await tab(/Shell 2 sleep/).waitFor();
  await world.button("Close shell 2").click();
  const dialog = world.dialog("Close shell 2?");
  await dialog.getByText("sleep is running in it and will end too.").waitFor();
  await world.picture("close-shell");
  await dialog.getByRole("button", { name: "Close shell" }).click();
  await chosen("Shell 1");
  assert.deepEqual(
    (await session()).shells.map(({ name }) => name),
    ["show-the-tax-in-the-cart/shell-1"],
  );
  // A shell that exits by itself leaves the agent's terminal in view.
  await type("exit\n");
  await world.terminal.getByText("The cart shows the tax").waitFor();
  assert.equal(await page.getByRole("tab").count(), 0);
});

test("Kill names the shells that it ends", async () => {
  await world.command("New shell");
  await chosen("Shell 1");
  await world.command("Kill session");
  const dialog = world.dialog(`Kill session “${CART}”?`);
  await dialog.getByText("Its side shell ends too.").waitFor();
  await dialog.getByRole("button", { name: "Kill session" }).click();
  await world.status(id, "killed");
  await page.getByRole("tab").first().waitFor({ state: "detached" });
  assert.deepEqual((await session()).shells, []);
});

test("removing a session from the list asks first if a command runs in its shells", async () => {
  await world.button("New shell").click();
  await chosen("Shell 1");
  await world.terminal.getByText("$").first().waitFor();
  await type("sleep 700\n");
  await tab(/Shell 1 sleep/).waitFor();
  await page.getByText("1 busy shell").waitFor();
  await world.command("Archive session");
  const dialog = world.dialog(`Archive “${CART}”?`);
  await dialog.getByText("a shell that runs sleep. Programs running there will end.").waitFor();
  await world.picture("archive-busy");
  await dialog.getByRole("button", { name: "Archive" }).click();
  await page.getByText(`${CART} was archived`).waitFor();
  await world.button("Undo").click();
  const back = page.getByRole("status").filter({ hasText: "is back on the list" });
  await back.getByRole("button", { name: "Dismiss" }).click();
  await world.row(/Show the tax in the cart/).click();
  assert.deepEqual((await session()).shells, []);
});

test("the tabs fit in a narrow window", async () => {
  await world.button("New shell").click();
  await chosen("Shell 1");
  for (let count = 2; count <= 6; count += 1) {
    await page
      .getByRole("tablist")
      .locator("..")
      .getByRole("button", { name: "New shell" })
      .click();
    await chosen(`Shell ${count}`);
  }
  await page.getByRole("button", { name: "Dismiss" }).click();
  await world.everyLook("six-shells", { forGuide: false });
  await world.narrow(async () => {
    // It is scrolled into view after the new layout.
    await until("its tab to be in sight", async () => {
      const { x, width } = await tab("Shell 6").boundingBox();
      return x >= 0 && x + width <= page.viewportSize().width;
    });
  });
});
