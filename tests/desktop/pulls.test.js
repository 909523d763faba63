// A pull request in the real window: opened, red, told to the agent, answered, and merged; its reactions; the merge queue; and the
// settings of forges and notifiers. The browser tests cover each in detail; these check that they work in WebKit.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../scripts/run.js";
import { lines, start, until } from "./world/processes.js";
import { makeRepository } from "./world/repository.js";
import { World } from "./world/world.js";

/** Who commits. */
const ME = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
const TASK = "Round half cents in the cart";

let world;
let project;
let session;
let forge;
let address;
let pull;
let hooks;
const folder = mkdtempSync(join(tmpdir(), "db-forge-"));

/** Carries out an operation of `tests/forge/control.js`. */
async function control(operation) {
  const body = JSON.stringify(operation);
  const answer = await fetch(`${address}/_control`, { method: "POST", body });
  return answer.json();
}

function git(cwd, ...args) {
  return execFileSync("git", args, { cwd, env: world.env }).toString();
}

before(async () => {
  const program = join(root, "tests", "forge", "server.js");
  const stdio = ["pipe", "pipe", "inherit"];
  forge = start(process.execPath, [program, folder], { stdio });
  ({ address } = JSON.parse(await new Promise((done) => lines(forge.child.stdout, done))));
  hooks = createServer((request, response) => request.resume().on("end", () => response.end()));
  await new Promise((done) => hooks.listen(0, "127.0.0.1", done));
  world = await World.start();
  world.env.GH_TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  mkdirSync(world.data, { recursive: true, mode: 0o700 });
  const config = `forges: { github.com: { api: '${address}', graphql: '${address}/graphql' } }
notifiers: { builds: { kind: webhook, url: 'http://127.0.0.1:${hooks.address().port}/hooks' } }
`;
  writeFileSync(join(world.data, "downbeat.yaml"), config);
  await world.open();
  const path = makeRepository(join(world.home, "storefront"), world.env);
  await control({ op: "repository", owner: "acme", name: "storefront" });
  git(path, "remote", "add", "origin", "https://github.com/acme/storefront.git");
  git(path, "config", `url.${address}/git/.pushInsteadOf`, "https://github.com/");
  git(path, "push", "-q", "origin", "main");
  project = (await world.call("add_project", { path, trust: true })).id;
  session = await committed(TASK, "Round half cents");
});

/** Starts a session that is idle with a commit of its own; returns its id. */
async function committed(title, subject) {
  const asked = { projectId: project, agent: "claude", title, prompt: "end Done." };
  const { id } = await world.call("create_session", asked);
  await world.becomes(id, "idle");
  const { workspacePath } = await world.session(id);
  writeFileSync(join(workspacePath, subject.split(" ").at(-1)), "");
  git(workspacePath, "add", "-A");
  git(workspacePath, ...ME, "commit", "-qm", subject);
  return id;
}
after(async () => {
  await world?.end();
  forge?.child.kill();
  hooks?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a pull request is opened by a button", async () => {
  await world.row(TASK);
  // Buttons above it appear until then.
  await world.says("from the agent's hook");
  await world.click("button", "Open pull request…");
  await world.says("proposes it for main at github.com/acme/storefront");
  await world.picture("create-pull");
  await world.click("button", "Open pull request");
  await world.says("Pull request #1 is open");
  const [one] = await world.call("list_pulls", { id: session });
  pull = one.card.id.split("/").at(-1);
});

test("a failed check is shown and told to the agent, and the rule says so", async () => {
  await control({ op: "check", pull, values: { name: "build", conclusion: "SUCCESS" } });
  await control({ op: "check", pull, values: { name: "test", conclusion: "FAILURE" } });
  await world.click("button", "Look again");
  await world.says("Checks failed: test");
  await world.says("The agent was notified 1 of at most 2 times");
  await world.picture("pull-red");
  const told = async () =>
    /Checks of your pull request #1 failed/.test(await world.output(session));
  await until("the agent to be told", told);
});

test("the menu of a reaction switches it off and on", async () => {
  const menu = "button[aria-label='Actions for Checks failed']";
  await world.click(menu, "");
  await world.says("Switch off for this session");
  await world.picture("reactions-menu");
  await world.click("[role=menuitem]", "Switch off for this session");
  await world.says("(switched off)");
  await world.click(menu, "");
  await world.click("[role=menuitem]", "Switch on again");
  await world.says("The agent was notified 1 of at most 2 times");
  await world.click("button[aria-label='Show history']", "");
  await world.says("Reaction history");
  await world.picture("reaction-history");
  await world.click("[role=dialog] button", "Close");
});

test("its menu changes its labels", async () => {
  await world.click("button[aria-label='Actions for pull request #1']", "");
  await world.says("Close pull request…");
  await world.picture("pull-menu");
  await world.click("[role=menuitem]", "Labels…");
  await world.says("It has no labels.");
  await (await until("the field", () => world.page.find("[role=dialog] input"))).type("cart");
  await world.click("[role=dialog] button", "Save labels");
  const labelled = async () => (await control({ op: "show", id: pull })).labels.includes("cart");
  await until("the label", labelled);
});

test("it is merged by a button once it is green", async () => {
  await control({ op: "push", pull, commit: "d".repeat(40) });
  await control({ op: "check", pull, values: { name: "build" } });
  await world.click("button", "Look again");
  await world.click("button", "Merge #1 into main");
  await world.says("pull request #1 landed on main");
  await world.picture("pull-merged");
  assert.equal((await control({ op: "show", id: pull })).state, "MERGED");
});

test("the merge queue shows what waits and why, and goes on by a button", async () => {
  await world.call("change_merge_queue", { id: project, paused: true });
  for (const title of ["Show the tax", "Sort by price"]) {
    await world.call("merge_session", { id: await committed(title, title), local: true });
  }
  await world.click("button.find", "");
  await (await until("the palette", () => world.page.find(".palette-input"))).type("merge queue");
  await world.click("[role=option]", "Show the merge queue");
  await world.says("The queue is paused.");
  await world.says("Sort by price");
  await world.picture("merge-queue");
  await world.click("button", "Resume");
  await world.says("The queue is empty");
});

test("the settings show forges and test notifiers", async () => {
  await world.click("button", "Settings");
  await world.click("nav button", "Forges");
  await world.says("acme/storefront");
  await world.says("requests left");
  await world.picture("settings-forges");
  await world.click("nav button", "Notifiers");
  await world.click("button[aria-label='Test builds']", "Test");
  await world.says("Test: delivered");
  await world.picture("settings-notifiers");
});
