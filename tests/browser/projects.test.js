// First use: an empty window, adding every kind of folder as a project, a page without a token.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { begin } from "./world/begin.js";
import { makeStorefront } from "./world/storefront.js";

let world;
let page;

begin(async (started) => {
  world = started;
  page = world.page;
});

/** Opens the dialog and enters a folder. */
async function name(folder) {
  if (!(await world.dialog("Add project").isVisible())) {
    await page.locator("aside footer").getByRole("button", { name: "Add project" }).click();
  }
  await world.dialog("Add project").getByLabel("Folder").fill(folder);
}

const report = (text) => world.dialog("Add project").getByRole("status").getByText(text).first();
const confirm = (text) => world.dialog("Add project").getByRole("button", { name: text });

test("an empty window teaches the next step", async () => {
  await page.getByText("Conduct a fleet of coding agents").waitFor();
  await world.picture("empty", { forGuide: true });
  await page.getByRole("main").getByRole("button", { name: "Add project" }).click();
  await world.dialog("Add project").waitFor();
});

test("a path with nothing there cannot be added", async () => {
  await name(join(world.home, "nowhere"));
  await report("Folder not found").waitFor();
  assert.ok(await confirm("Add project").isDisabled());
  assert.equal(await world.dialog().getByText("Trust this project?").count(), 0);
});

test("for a plain folder the dialog offers to make a repository, which leaves its files alone", async () => {
  const notes = join(world.home, "notes");
  mkdirSync(notes);
  writeFileSync(join(notes, "list.txt"), "milk\n");
  await name(notes);
  await report("Not a repository yet").waitFor();
  await world.picture("add-plain");
  assert.ok(!existsSync(join(notes, ".git")), "looking changed the folder");
  await confirm("Run git init here").click();
  await world.row("notes").waitFor();
  assert.ok(existsSync(join(notes, ".git")));
  // The dialog for the first session follows.
  await world.dialog("New session").waitFor();
  await page.keyboard.press("Escape");
  await world.dialog().waitFor({ state: "detached" });
});

test("for a repository without commits the dialog offers an empty first commit", async () => {
  const fresh = join(world.home, "fresh");
  mkdirSync(fresh);
  const git = (...args) =>
    execFileSync("git", args, { cwd: fresh, env: world.env, encoding: "utf8" }).trim();
  git("init", "-q");
  writeFileSync(join(fresh, "staged.txt"), "mine\n");
  git("add", "staged.txt");
  await name(fresh);
  await report("No commits yet").waitFor();
  await world.picture("add-no-commits");
  await confirm("Create a first commit").click();
  await world.row("fresh").waitFor();
  assert.equal(git("ls-tree", "-r", "--name-only", "HEAD"), "");
  assert.equal(git("diff", "--cached", "--name-only"), "staged.txt");
  await world.dialog("New session").waitFor();
  await page.keyboard.press("Escape");
  await world.dialog().waitFor({ state: "detached" });
});

test("a subfolder adds the root of its repository, and trust is asked once", async () => {
  const path = makeStorefront(join(world.home, "storefront"), world.env);
  await name(join(path, "src"));
  await report("Ready to add").waitFor();
  await report(path).waitFor();
  const no = world.dialog().getByLabel("No, ask each time");
  assert.ok(await no.isChecked(), "trust is given by default");
  await world.dialog().getByLabel("Yes, trust it").check();
  await world.picture("add-project", { forGuide: true });
  await confirm("Add project").click();
  await world.dialog("New session").waitFor();
  const added = (await world.call("GET", "/api/projects")).find((one) => one.path === path);
  assert.deepEqual([added.name, added.trusted], ["storefront", true]);
  await page.keyboard.press("Escape");
  await world.dialog().waitFor({ state: "detached" });
});

test("a folder that was already added is shown, and is not added again", async () => {
  await name(join(world.home, "storefront"));
  await report("Already added").waitFor();
  assert.equal(await world.dialog().getByText("Trust this project?").count(), 0);
  await confirm("Show project").click();
  await world.dialog().waitFor({ state: "detached" });
  assert.equal((await world.call("GET", "/api/projects")).length, 3);
});

test("a removed project leaves its folder untouched", async () => {
  await world.row("notes").hover();
  await page.getByRole("button", { name: "Actions for notes" }).click();
  await page.getByRole("menuitem", { name: "Remove project…" }).click();
  await world.dialog("Remove notes?").getByRole("button", { name: "Remove project" }).click();
  await world.row("notes").waitFor({ state: "detached" });
  assert.ok(existsSync(join(world.home, "notes", "list.txt")));
});

test("a page without a token shows how to get one, and nothing else", async () => {
  const [address] = world.address.split("#");
  const stranger = await world.visit(address);
  await stranger.getByText("This link is out of date").waitFor();
  assert.equal(await stranger.getByText("storefront").count(), 0);
  await world.picture("no-token", { page: stranger });
  const wrong = await world.visit(`${address}#token=wrong`);
  await wrong.getByText("This link is out of date").waitFor();
  const { port } = world.manifest();
  assert.equal((await fetch(`http://127.0.0.1:${port}/api/sessions`)).status, 401);
  // The API address does not serve the interface either.
  assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 403);
  await Promise.all([stranger, wrong].map((one) => one.context().close()));
});
