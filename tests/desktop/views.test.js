// The views of the work in the real window: the board, what needs the person, changes of every kind, sessions that change the same
// lines, the comparison, panes and the timeline. The browser tests cover each in detail; these check that they work in WebKit.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "./world/processes.js";
import { makeRepository } from "./world/repository.js";
import { KEYS } from "./world/webdriver.js";
import { World } from "./world/world.js";

/** Who commits. */
const ME = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
/** The same words make two sessions comparable. */
const TASK = "end Half cents are rounded up now.";
const LINES = Array.from({ length: 40 }, (_, n) => `fn item_${n}() -> u32 { ${n} }\n`);
const CART = LINES.join("");
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

let world;
let project;
const ids = {};

function git(cwd, ...args) {
  execFileSync("git", [...ME, ...args], { cwd, env: world.env });
}

async function made(title, prompt) {
  const asked = { projectId: project, agent: "claude", title, prompt };
  return (await world.call("create_session", asked)).id;
}

/** Returns a function that writes a file of a session's worktree. */
async function writer(id) {
  const { workspacePath } = await world.session(id);
  return (name, text) => {
    mkdirSync(join(workspacePath, name, ".."), { recursive: true });
    writeFileSync(join(workspacePath, name), text);
  };
}

before(async () => {
  world = await World.start();
  await world.open();
  const path = makeRepository(join(world.home, "storefront"), world.env);
  const files = {
    "src/cart.rs": CART,
    "src/old.rs": "fn old() {}\n",
    "src/named.rs": LINES.slice(0, 9).join(""),
    "run.sh": "#!/bin/sh\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  git(path, "add", "-A");
  git(path, "commit", "-qm", "Cart");
  project = (await world.call("add_project", { path, trust: true })).id;
  ids.cart = await made("Round in the cart", TASK);
  ids.rival = await made("Round in the total", TASK);
  ids.busy = await made("Rebuild the index", `work ${join(world.home, "never")}`);
  ids.asks = await made("Migrate the prices", "offer npm run migrate\nend Migrated.");
  await world.becomes(ids.cart, "idle");
  await world.becomes(ids.rival, "idle");
  await world.becomes(ids.busy, "running");
  await world.becomes(ids.asks, "waiting");
  await changesOfEveryKind();
  const write = await writer(ids.rival);
  write("src/cart.rs", CART.replace("{ 7 }", "{ 70 }"));
});
after(() => world?.end());

/** Changes the worktree of the cart: files that are modified, renamed, deleted, new, binary, executable, linked, and badly named. */
async function changesOfEveryKind() {
  const write = await writer(ids.cart);
  const place = (await world.session(ids.cart)).workspacePath;
  write("src/cart.rs", CART.replace("{ 7 }", "{ 71 }"));
  git(place, "mv", "src/named.rs", "src/renamed.rs");
  git(place, "rm", "-q", "src/old.rs");
  git(place, "commit", "-qam", "Round half cents");
  chmodSync(join(place, "run.sh"), 0o755);
  symlinkSync("cart.rs", join(place, "src", "link.rs"));
  write("logo.png", Buffer.from(PIXEL, "base64"));
  write("data.bin", Buffer.from([0, 1, 2, 255, 0, 7]));
  write("docs/<img src=x onerror=alert(1)>.md", "# <script>alert(1)</script>\n");
  write("docs/long.md", `${"long ".repeat(4000)}\n`);
}

const field = (selector) => until(selector, () => world.page.find(selector));

/** Waits until the page has this element. */
const has = (selector) =>
  until(selector, () =>
    world.page.script("return document.querySelector(arguments[0]) !== null", selector),
  );

/** Waits until an element for this selector says the text. */
const shows = (selector, text) =>
  until(`${selector} to say ${text}`, () =>
    world.page.script(
      `const [selector, text] = arguments;
       return [...document.querySelectorAll(selector)].some((e) => e.textContent.includes(text));`,
      selector,
      text,
    ),
  );

/** Runs a command by its name in the palette. */
async function command(name) {
  await world.click("button.find", "");
  await (await field(".palette-input")).type(name);
  await world.click("[role=option]", name);
}

const card = (name) => `[data-card='${ids[name]}']`;
const stands = (name, column) => has(`[data-column=${column}] ${card(name)}`);

test("the board shows every session in the column of who must act", async () => {
  await command("Show the board");
  await stands("busy", "working");
  await stands("asks", "needsYou");
  await stands("cart", "inReview");
  await has(`${card("asks")} [data-answer='1']:not([aria-disabled=true])`);
  await world.picture("views-board");
});

test("a question is answered where everything that needs the person is listed", async () => {
  await command("Show what needs me");
  await has(`li.chosen${card("asks")} [data-answer='1']:not([aria-disabled=true])`);
  await world.picture("views-attention");
  // Keys count once the question has been in view for a moment.
  await until("the answer", async () => {
    await world.page.press("1");
    return (await world.session(ids.asks)).status === "idle";
  });
});

/** Chooses a changed file, and waits until the page says something about it. */
async function file(name, ...said) {
  await world.click(`[data-path=${JSON.stringify(name)}]`, "");
  for (const text of said) await world.says(text);
}

test("changes of every kind are shown", async () => {
  await world.row("Round in the cart");
  await world.click("label", "Changes");
  await file("src/cart.rs", "fn item_7() -> u32 { 71 }");
  await has(".plus .differs");
  await world.picture("views-changes");
  await file("src/renamed.rs", "Only the name changed");
  await file("src/old.rs", "fn old() {}");
  await file("run.sh", "Only the mode changed");
  await file("src/link.rs");
  await shows(".lines .plus", "cart.rs");
  await file("logo.png");
  await has("img[src^='blob:'], img[src^='data:image/png']");
  await world.picture("views-changes-picture");
  await file("data.bin", "Binary file");
  await file("docs/<img src=x onerror=alert(1)>.md", "<script>alert(1)</script>");
  await file("docs/long.md", "long long long");
  await command("Theme: light");
  await file("src/cart.rs", "fn item_7() -> u32 { 71 }");
  await world.picture("views-changes-light");
  await command("Theme: dark");
});

test("the work of a session is approved", async () => {
  await world.click("button", "Approve");
  await world.says("Approved by you");
  const { review } = await world.session(ids.cart);
  assert.deepEqual([review.verdict, review.isOutdated], ["approved", false]);
});

test("a session names the one that changes the same line", async () => {
  // What a session changed is looked at after each turn of its agent.
  for (const id of [ids.rival, ids.cart]) await world.call("send_message", { id, content: TASK });
  await world.says("also changes src/cart.rs");
  await world.says("Merging both would conflict.");
  await world.picture("views-radar");
});

test("sessions with one task are compared", async () => {
  await command("Compare sessions side by side");
  await shows("[role=table] [role=columnheader]", "Round in the total");
  await shows("[role=table]", "src/renamed.rs");
  await world.picture("views-compare");
});

test("panes are split by keys, and each has its session", async () => {
  await world.row("Round in the cart");
  await has("[data-pane]");
  await world.page.press("alt", "shift", "v");
  await world.says("Choose a session");
  await (await field("[data-pane] input")).type(`rebuild${KEYS.enter}`);
  const titles = () =>
    world.page.script(
      "return [...document.querySelectorAll('[data-pane] h2')].map((e) => e.textContent.trim())",
    );
  await until("two panes", async () => {
    const [left, right] = await titles();
    return left?.includes("Round in the cart") && right?.includes("Rebuild the index");
  });
  // Agents start 120 columns wide; their terminals take the size of their panes.
  await until("terminals as wide as their panes", () =>
    world.page.script(`return [...document.querySelectorAll("[data-pane]")].every((pane) => {
      const screen = pane.querySelector(".xterm-screen")?.getBoundingClientRect();
      const { left, right } = pane.getBoundingClientRect();
      return screen && screen.left >= left && screen.right <= right && screen.width > 0.8 * (right - left);
    })`),
  );
  await world.picture("views-panes");
});

test("the timeline shows when each session worked and waited", async () => {
  await command("Show timeline");
  await has("[data-lane] [data-stop]");
  await shows("[data-lane]", "Migrate the prices");
  await world.picture("views-timeline");
});
