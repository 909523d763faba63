// The real window, as a person uses it, with its own display, bus and window manager. The whole file shares
// one world; each test continues from where the previous one stopped.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { linkOrCopy } from "./world/installed.js";
import { isAlive, until } from "./world/processes.js";
import { makeRepository } from "./world/repository.js";
import { KEYS } from "./world/webdriver.js";
import { World, program } from "./world/world.js";

let world;
let project;
let repository;

before(async () => {
  world = await World.start();
  await world.open();
  repository = makeRepository(join(world.home, "storefront"), world.env);
});
after(() => world?.end());

const says = (text) => world.says(text);
const click = (selector, text) => world.click(selector, text);
const row = (title) => world.row(title);
const session = (id) => world.session(id);
const output = (id) => world.output(id);

/** Types into the terminal in view. */
async function type(text) {
  const terminal = await until("a terminal", () => world.page.find(".xterm-helper-textarea"));
  await terminal.type(text);
}

const manifest = () => JSON.parse(readFileSync(join(world.data, "engine.json"), "utf8"));

test("an empty window teaches the next step", async () => {
  await says("Add project");
  await until("the window", () => world.windows().length === 1);
  await world.picture("empty");
});

test("the page can neither run a program nor open an address through the shell plugin", async () => {
  const ask = "(name, args) => window.__TAURI_INTERNALS__.invoke(`plugin:shell|${name}`, args)";
  const run = { program: "downbeat", args: ["--version"], options: { sidecar: true } };
  for (const [name, args] of [
    ["execute", run],
    ["spawn", { ...run, onEvent: 1 }],
    ["open", { path: "https://example.org" }],
  ]) {
    await assert.rejects(world.page.page(ask, name, args), /not allowed/, name);
  }
});

test("a folder passed to a second start is offered by the first instance, and added", async () => {
  await promisify(execFile)(program, [join(repository, "src")], { env: world.env });
  await says("Trust this project?");
  await world.picture("add-project");
  await click("label", "No, ask each time");
  await click("button", "Add project");
  const added = await until("the project", async () => (await world.call("list_projects"))[0]);
  assert.equal(added.path, repository);
  project = added.id;
  // The dialog for a first session follows; it is not wanted here.
  await until("the next dialog to close", async () => {
    await world.page.press("escape");
    return world.page.named("[role=treeitem]", "storefront");
  });
});

test("a folder dragged onto the window is offered when it is dropped", async () => {
  const source = await world.dragSource(repository);
  const [window] = world.windows();
  world.drag(source, window);
  await says("Drop a folder to add it");
  world.drop();
  await says("Already added");
  await world.picture("dropped");
  await click("button", "Cancel");
});

test("a shell session echoes typed keys", async () => {
  const { id } = await world.call("create_session", {
    projectId: project,
    title: "Dev shell",
    agent: "shell",
  });
  await row("Dev shell");
  await until("a prompt", async () => (await output(id)).includes("$"));
  await type(`echo typed-$((6*7))${KEYS.enter}`);
  await until("the echo", async () => (await output(id)).includes("typed-42"));
  await until("the echo on the page", async () => {
    const drawn = await world.page.script(
      "return document.querySelector('.xterm-rows, .xterm-accessibility')?.textContent ?? ''",
    );
    return drawn.includes("typed-42") || (await world.page.find("canvas"));
  });
  await world.picture("shell");
});

test("closing hides the window to the tray, whose menu shows it again", async () => {
  await world.activate();
  world.x("key", "alt+F4");
  await until("no window", () => world.windows().length === 0);
  const { menu } = await world.desk.tray();
  assert.ok(menu.includes("Open Downbeat") && menu.includes("Quit Downbeat"), menu.join());
  await world.desk.choose("Open Downbeat");
  await until("the window again", () => world.windows().length === 1);
});

test("a conductor's worker is killed from its menu", async () => {
  const conductor = await world.call("create_session", {
    projectId: project,
    title: "Conduct checkout",
    agent: "claude",
    conductor: true,
    prompt: "say ready to conduct",
  });
  const worker = await world.call("create_session", {
    projectId: project,
    title: "Payment form",
    agent: "claude",
    parent: conductor.id,
    prompt: "say working on it",
  });
  await row("Conduct checkout");
  await until("the worker's turn", async () => (await session(worker.id)).status === "idle");
  await until("the worker's row below its conductor's", () =>
    world.page.script(
      `const rows = [...document.querySelectorAll("[role=treeitem]")];
       const level = (text) => Number(rows.find((r) => r.ariaLabel?.includes(text))?.ariaLevel);
       return level("Payment form") === level("Conduct checkout") + 1;`,
    ),
  );
  await world.picture("conductor");
  await row("Payment form");
  await says("feature/");
  await world.picture("worker");
  await click("button", "More");
  await click("[role=menuitem]", "Kill worker…");
  await click("[role=dialog] footer button", "Kill worker");
  await until("the kill", async () => (await session(worker.id)).status === "killed");
  await says("Killed");
});

test("a working agent inhibits idle sleep until it is done", async () => {
  const held = await world.desk.event("inhibit", ({ what }) => what === "idle");
  assert.equal(held.who, "Downbeat");
  await world.desk.event("released", ({ what }) => what === "idle");
});

test("a question raises a notification and shows in the tray, and a click opens it", async () => {
  const asking = await world.call("create_session", {
    projectId: project,
    title: "Migrate <b>data</b>",
    agent: "claude",
    prompt: "ask Bash: npm run migrate",
  });
  const told = await world.desk.event("notification", ({ summary }) =>
    summary.includes("needs you"),
  );
  assert.equal(told.app, "Downbeat");
  assert.ok(!/[<>&]/.test(told.summary + told.body), `markup reached the desktop: ${told.summary}`);
  const tray = await until("the tray to count it", async () => {
    const seen = await world.desk.tray();
    return seen.tooltip.includes("1 need you") && seen;
  });
  assert.ok(
    tray.menu.some((label) => label.startsWith("Migrate")),
    tray.menu.join(),
  );
  await row("Dev shell");
  await world.desk.click(told.id);
  await until("the asking session in view", () =>
    world.page.script(
      "return document.querySelector('[role=treeitem][aria-selected=true]')?.ariaLabel.includes('Migrate')",
    ),
  );
  await world.picture("question");
  await world.call("kill_session", { id: asking.id });
});

test("no notification appears for the session in view", async () => {
  const seen = await world.call("create_session", {
    projectId: project,
    title: "In view",
    agent: "claude",
    prompt: "say ready",
  });
  await until("its turn", async () => (await session(seen.id)).status === "idle");
  await row("In view");
  await world.activate();
  await until(
    "the page to know",
    async () => (await world.page.script("return document.hasFocus()")) === true,
  );
  await world.call("send_message", { id: seen.id, content: "ask Bash: first" });
  await until("its question", async () => (await session(seen.id)).status === "waiting");
  // Notices arrive in order: once the second one is here, the first will not arrive.
  const other = await world.call("create_session", {
    projectId: project,
    title: "Out of view",
    agent: "claude",
    prompt: "ask Bash: second",
  });
  await world.desk.event("notification", ({ summary }) => summary.startsWith("Out of view"));
  const told = world.desk.events.filter(({ summary }) => summary?.startsWith("In view needs"));
  assert.deepEqual(told, []);
  for (const { id } of [seen, other]) await world.call("kill_session", { id });
});

test("quitting with live sessions asks, and they can continue without a window", async () => {
  const before = await session("dev-shell");
  const place = await world.put({ x: 130, y: 90, width: 1111, height: 701 });
  await world.desk.choose("Quit Downbeat");
  await says("Keep running in the background");
  await world.picture("quit");
  await click("button", "Cancel");
  await world.desk.choose("Quit Downbeat");
  await says("Keep running in the background");
  const { pid } = manifest();
  await click("[role=dialog] footer button", "Quit");
  await until("another engine", () => manifest().pid !== pid && manifest().headless);
  await world.close().catch(() => undefined);
  await world.open();
  await until("this window's engine", () => !manifest().headless);
  const now = await session("dev-shell");
  assert.deepEqual([now.id, now.status], [before.id, before.status]);
  assert.match(await output(now.id), /typed-42/);
  const again = world.place();
  assert.deepEqual([again.width, again.height], [place.width, place.height]);
  // Window frames are counted differently before and after; a window that was not restored is far off.
  const far = Math.max(Math.abs(again.x - place.x), Math.abs(again.y - place.y));
  assert.ok(far < 40, JSON.stringify({ place, again }));
});

/** Returns the processes that draw the pages of a program; there may be a spare one. */
function drawing({ pid }) {
  const found = execFileSync("pgrep", ["-P", String(pid), "WebKitWebProces"], { encoding: "utf8" });
  return found.split("\n").filter(Boolean).map(Number);
}

test("a page is reloaded after its process was killed, and quitting still asks", async () => {
  const { pid } = manifest();
  await world.close();
  // A second start would only raise the window of the previous instance.
  await until("the end of the one before", () => !isAlive(pid));
  const run = world.run();
  await until("the page", () => run.listened === 1);
  const first = drawing(run.child);
  first.forEach((process_) => process.kill(process_, "SIGKILL"));
  await until("their end", () => !first.some(isAlive));
  await world.desk.choose("Quit Downbeat");
  const dialog = () =>
    world.x("search", "--onlyvisible", "--name", "^Quit Downbeat").split("\n")[0];
  const asked = await until("the system's question", dialog);
  await world.picture("quit-by-system");
  await until("the question to be left", () => {
    world.x("windowactivate", asked, "key", "Escape");
    try {
      return dialog() === "";
    } catch {
      return true;
    }
  });
  await until("the page anew", () => run.listened === 2, { milliseconds: 40_000 });
  assert.ok(!drawing(run.child).some((process_) => first.includes(process_)));
  assert.equal(run.child.exitCode, null);
  run.child.kill("SIGKILL");
  await run.gone;
  await world.open();
  await says("Dev shell");
  await until("the window", () => world.windows().length === 1);
});

test("without a tray, closing asks what quitting asks", async () => {
  await world.desk.panel(false);
  await world.activate();
  world.x("key", "alt+F4");
  await says("Keep running in the background");
  assert.equal(world.windows().length, 1);
  await click("label", "Stop all sessions");
  await click("[role=dialog] footer button", "Quit");
  await until("the end", () => world.windows().length === 0);
});

test("a command line program that is missing or of another version is reported at the start", async () => {
  const folder = join(world.home, "mixed");
  mkdirSync(folder);
  linkOrCopy(program, join(folder, "downbeat-desktop"));
  const beside = join(folder, "downbeat");
  writeFileSync(beside, "#!/bin/sh\necho downbeat 0.0.9\n", { mode: 0o755 });
  const refused = await world.refuses(join(folder, "downbeat-desktop"));
  assert.match(refused, /version 0\.0\.9/);
  assert.ok(refused.includes(beside), refused);
  rmSync(beside);
  assert.match(await world.refuses(join(folder, "downbeat-desktop")), /is missing/);
});
