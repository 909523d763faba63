// The frame around the views: keys, palette, settings, and what survives a reload or a crash.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { begin } from "./world/begin.js";

let world;
let page;
let shell;

begin(async (started) => {
  world = started;
  page = world.page;
  const project = await world.storefront();
  shell = await world.session({ projectId: project.id, title: "Dev server", agent: "shell" });
  await world.session({ projectId: project.id, title: "Cart" });
  await world.shows(shell.id, "$");
  shell = await world.call("GET", `/api/sessions/${shell.id}`);
});

const heading = (name) => page.getByRole("heading", { level: 1, name });

test("a reload keeps the view", async () => {
  await world.row(/Dev server/).click();
  await heading("Dev server").waitFor();
  await page.reload();
  await heading("Dev server").waitFor();
  await world.terminal.getByText("$").first().waitFor();
});

test("sessions are listed before the agents have reported their versions", async () => {
  let answer;
  const asked = new Promise((done) => (answer = done));
  await page.route("**/api/agents", (route) => asked.then(() => route.continue()));
  await page.reload();
  await world.row(/Cart/).waitFor();
  await heading("Dev server").waitFor();
  await page.unroute("**/api/agents", { behavior: "ignoreErrors" });
  answer();
});

test("after another engine takes over, the page reconnects and shows every line once", async () => {
  const script = 'seq -f "row %g" 1 15; until [ -e go ]; do sleep 0.1; done; seq -f "row %g" 16 30';
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type(`clear; ${script}\n`);
  await world.terminal.getByText("row 15").waitFor();
  writeFileSync(join(shell.workspacePath, "go"), "");
  await world.startEngine();
  await world.terminal.getByText("row 30").waitFor();
  await page.getByRole("status").filter({ hasText: "Reconnecting" }).waitFor({ state: "detached" });
  const drawn = (await world.terminal.locator("> div").allTextContents()).map((row) => row.trim());
  assert.deepEqual(
    drawn.filter((row) => /^row \d+$/.test(row)),
    Array.from({ length: 30 }, (_, index) => `row ${index + 1}`),
  );
  await page.keyboard.type("echo alive-$((1+1))\n");
  await world.terminal.getByText("alive-2").last().waitFor();
});

const palette = () => page.getByPlaceholder("Find a session, a project or a command…");
const terminalSays = async (text) =>
  (await world.call("GET", `/api/sessions/${shell.id}/output?lines=200`)).text.includes(text);

test("text typed while the palette loads appears in it", async () => {
  let arrive;
  const way = new Promise((done) => (arrive = done));
  await page.route(/OpenDialog/, (route) => way.then(() => route.continue()));
  await world.row(/Dev server/).click();
  await page.reload();
  await world.terminal.getByText("$").first().waitFor();
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.press("Control+Shift+K");
  await page.keyboard.type("early");
  assert.equal(await palette().count(), 0);
  arrive();
  await palette().waitFor();
  await page.keyboard.type(" bird");
  assert.equal(await palette().inputValue(), "early bird");
  await page.keyboard.press("Escape");
  await page.unroute(/OpenDialog/);
  assert.ok(!(await terminalSays("early")), "the terminal behind got it");
});

test("on a slow machine the palette still gets the first key", async () => {
  await page.evaluate(() => {
    const later = window.setTimeout;
    window.requestAnimationFrame = (run) => later(() => run(performance.now()), 2_000);
    window.setTimeout = (run, milliseconds = 0) => later(run, milliseconds + 2_000);
  });
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.press("Control+Shift+K");
  await page.keyboard.type("swift");
  assert.equal(await palette().inputValue(), "swift");
  await page.reload();
  await world.terminal.getByText("$").first().waitFor();
  assert.ok(!(await terminalSays("swift")), "the terminal behind got it");
  await page.locator(".xterm-helper-textarea").focus();
});

test("the palette finds sessions and commands", async () => {
  // In a terminal, Ctrl+letter belongs to the program.
  await page.keyboard.press("Control+Shift+K");
  await page.getByPlaceholder("Find a session, a project or a command…").fill("cart");
  await page.getByRole("option", { name: /Cart/ }).first().waitFor();
  await world.picture("palette-over-terminal");
  await page.keyboard.press("Enter");
  await heading("Cart").waitFor();
  await world.row(/Cart/).focus();
  await page.keyboard.press("Control+K");
  await page.getByPlaceholder("Find a session, a project or a command…").fill("settings");
  await page.keyboard.press("Enter");
  await heading("Settings").waitFor();
});

test("the key table opens with a key and is in the settings", async () => {
  await page.keyboard.press("Control+/");
  const sheet = world.dialog("Keyboard shortcuts");
  await sheet.getByText("Go to the next session that needs me").waitFor();
  await world.picture("keys", { forGuide: true });
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Shortcuts", exact: true }).click();
  await page.getByText("Ctrl shortcuts go to the terminal").waitFor();
});

test("a changed setting is written to the file and survives a reload", async () => {
  await page.getByRole("button", { name: "General", exact: true }).click();
  const workers = page.getByRole("spinbutton", { name: "Max running workers per conductor" });
  await world.picture("settings", { forGuide: true });
  await workers.fill("3");
  await workers.blur();
  const { configPath } = await world.call("GET", "/api/settings");
  await page.reload();
  await heading("Settings").waitFor();
  assert.equal(await workers.inputValue(), "3");
  assert.match(readFileSync(configPath, "utf8"), /workersPerConductor: 3/);
});

test("every page of the settings has content", async () => {
  for (const [name, text] of [
    ["Agents", "Claude Code"],
    ["Projects", "Trust agents in its worktrees"],
    ["Power", "Stay awake while an agent works"],
    ["About", "Downbeat sends no data anywhere."],
  ]) {
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByRole("main").getByText(text).first().waitFor();
    await world.picture(`settings-${name.toLowerCase()}`, { forGuide: name === "Agents" });
  }
});

test("the choice of light or dark is kept", async () => {
  await page.getByRole("button", { name: "Appearance", exact: true }).click();
  await page.locator("label", { hasText: "Light" }).click();
  await page.locator('html[data-theme="light"]').waitFor();
  await world.picture("settings-light");
  await page.reload();
  await page.locator('html[data-theme="light"]').waitFor();
  await page.locator("label", { hasText: "Dark" }).click();
  await page.locator('html[data-theme="dark"]').waitFor();
});

test("every control has a name", async () => {
  const nameless = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("button, input, textarea, [role=switch], [role=treeitem]")]
        .filter((one) => one.checkVisibility())
        .filter(
          (one) =>
            !one.ariaLabel &&
            !one.textContent.trim() &&
            !one.labels?.length &&
            !one.getAttribute("aria-labelledby"),
        )
        .map((one) => one.outerHTML.slice(0, 160)),
    );
  for (const name of [
    "General",
    "Agents",
    "Projects",
    "Power",
    "Appearance",
    "Shortcuts",
    "About",
  ]) {
    await page.getByRole("button", { name, exact: true }).click();
    assert.deepEqual(await nameless(), [], name);
  }
  await world.row(/Dev server/).click();
  await heading("Dev server").waitFor();
  assert.deepEqual(await nameless(), [], "session");
  await page.getByRole("button", { name: "New session", exact: true }).first().click();
  await world.dialog("New session").waitFor();
  assert.deepEqual(await nameless(), [], "new session");
});
