// Pull requests: a session's is opened from the window, its checks and comments are read, it is changed, and it is merged. Then
// the settings of forges and notifiers.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../../scripts/run.js";
import { lines, start } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";

const TASK = "Round half cents in the cart";
/** A comment that would be an element and run a script if it were taken for HTML. */
const HOSTILE = `<img src="/x" onerror="document.title='taken'"><script>document.title='taken'</script>\u001b[31mred`;
const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

let world;
let page;
let session;
let pull;

const stdio = ["pipe", "pipe", "inherit"];
const folder = mkdtempSync(join(tmpdir(), "downbeat-forge-"));
const forge = start(process.execPath, [join(root, "tests", "forge", "server.js"), folder], {
  stdio,
});
after(() => {
  forge.child.kill();
  rmSync(folder, { recursive: true, force: true });
});
const { address } = JSON.parse(await new Promise((done) => lines(forge.child.stdout, done)));

/** Takes notices. */
const hooks = createServer((request, response) => request.resume().on("end", () => response.end()));
await new Promise((done) => hooks.listen(0, "127.0.0.1", done));
after(() => hooks.close());
const receiver = `http://127.0.0.1:${hooks.address().port}/hooks`;

/** Carries out an operation of `tests/forge/control.js`. */
async function control(operation) {
  const body = JSON.stringify(operation);
  const answer = await fetch(`${address}/_control`, { method: "POST", body });
  return answer.json();
}

begin(
  async (started) => {
    world = started;
    page = world.page;
    const project = await world.storefront();
    world.script(TASK, "say \u001b[1m●\u001b[0m Totals are rounded per line now.");
    const repository = await control({ op: "repository", owner: "acme", name: "storefront" });
    const url = "https://github.com/acme/storefront.git";
    git(project.path, "remote", "add", "origin", url);
    git(project.path, "config", `url.${address}/git/.pushInsteadOf`, "https://github.com/");
    git(project.path, "push", "-q", "origin", "main");
    assert.match(repository.id, /^R_/);
    const made = await world.call("POST", "/api/sessions", {
      projectId: project.id,
      title: TASK,
      prompt: TASK,
      agent: "claude",
    });
    session = await world.status(made.id, "idle");
    writeFileSync(join(session.workspacePath, "rounded"), "");
    git(session.workspacePath, "add", "-A");
    git(session.workspacePath, "commit", "-qm", "Round half cents");
  },
  {
    env: { GH_TOKEN: TOKEN },
    config: `forges: { github.com: { api: '${address}', graphql: '${address}/graphql' } }
notifiers: { builds: { kind: webhook, url: '${receiver}' } }
`,
  },
);

function git(cwd, ...args) {
  return execFileSync("git", args, { cwd, env: world.env }).toString();
}

const details = () => page.getByRole("region", { name: "Pull request" });

/** A green check, and one that failed; then a comment, and a review that is missing. */
async function happens() {
  for (const [name, conclusion] of [
    ["build", "SUCCESS"],
    ["lint", "SUCCESS"],
    ["test (ubuntu-latest)", "FAILURE"],
  ]) {
    await control({ op: "check", pull: pull.id, values: { name, conclusion } });
  }
  const body = "Half cents are rounded twice here.";
  const values = { path: "src/cart/totals.ts", line: 41, comments: [{ author: "grace", body }] };
  await control({ op: "thread", pull: pull.id, values });
  await control({ op: "set", id: pull.id, values: { review: "REVIEW_REQUIRED" } });
}

test("a pull request is opened from a session's details", async () => {
  // The project was read when it had no remote yet.
  await page.reload();
  await world.row(new RegExp(TASK)).click();
  await details().getByRole("button", { name: "Open pull request…" }).click();
  const dialog = page.getByRole("dialog", { name: "Open pull request" });
  await dialog.getByText("proposes it for main at github.com/acme/storefront").waitFor();
  await dialog.getByLabel("Description").fill("Half cents were rounded in every line.");
  await world.picture("create-pull", { forGuide: true });
  await dialog.getByRole("button", { name: "Open pull request" }).click();
  await page.getByText("Pull request #1 is open").waitFor();
  await details().getByText("Round half cents").waitFor();
  const [one] = await world.call("GET", `/api/sessions/${session.id}/pulls`);
  pull = { id: one.card.id.split("/").at(-1) };
  const there = await control({ op: "show", id: pull.id });
  assert.equal(there.body, "Half cents were rounded in every line.");
});

test("what happens at the forge is seen, and read on request", async () => {
  await happens();
  await details().getByRole("button", { name: "Look again" }).click();
  await details().getByText("Checks failed: test (ubuntu-latest)").waitFor({ timeout: 30_000 });
  await page.getByRole("treeitem", { name: /#1: Checks failed/ }).waitFor();
  await details().getByRole("button", { name: "2 of 3 checks passed · 1 open comment" }).click();
  await details().getByText("src/cart/totals.ts:41").waitFor();
  await details().getByText("Half cents are rounded twice here.").waitFor();
  await world.picture("pull-request", { forGuide: true });
});

/** What the forge has. */
const there = () => control({ op: "show", id: pull.id });
const menuitem = (name) => page.getByRole("menuitem", { name });
const menu = () => details().getByRole("button", { name: "Actions for pull request #1" });

test("a comment is text, whatever it contains", async () => {
  const [{ id }] = (await there()).threads;
  await control({ op: "comment", on: id, values: { author: "mallory", body: HOSTILE } });
  await details().getByRole("button", { name: "2 of 3 checks passed · 1 open comment" }).click();
  await details().getByRole("button", { name: "Look again" }).click();
  await details().getByRole("button", { name: "2 of 3 checks passed · 1 open comment" }).click();
  const hostile = details().getByText(`<img src="/x" onerror=`);
  await hostile.waitFor();
  const text = await hostile.textContent();
  assert.ok(
    text.includes("<script>document.title='taken'</script>") && !text.includes("\u001b"),
    text,
  );
  assert.equal(await page.locator("img[src='/x'], .session-view script").count(), 0);
  assert.notEqual(await page.title(), "taken");
});

test("a comment is answered and its thread resolved where it is read; a refusal is said there", async () => {
  const thread = details().getByRole("group", { name: "Thread on src/cart/totals.ts:41" });
  await thread.getByRole("button", { name: "Reply" }).click();
  await thread.getByPlaceholder("Reply…").fill("Fixed: rounded in the <b>sum</b> only.");
  await control({ op: "fault", match: "", kind: "revoked", times: 100 });
  await thread.getByRole("button", { name: "Reply" }).click();
  await thread
    .getByRole("alert")
    .getByText(/gh auth login/)
    .waitFor();
  await world.picture("pull-reply-refused");
  await control({ op: "clear" });
  await thread.getByRole("button", { name: "Reply" }).click();
  await thread.getByText("Fixed: rounded in the <b>sum</b> only.").waitFor();
  await thread.getByPlaceholder("Reply…").waitFor({ state: "detached" });
  assert.equal((await there()).threads[0].comments.length, 3);
  await world.picture("pull-conversation", { forGuide: true });
  await thread.getByRole("button", { name: "Resolve" }).click();
  await details().getByRole("button", { name: "Show 1 resolved thread" }).click();
  assert.equal((await there()).threads[0].resolved, true);
  await thread.getByRole("button", { name: "Unresolve" }).click();
  await thread.getByRole("button", { name: "Resolve", exact: true }).waitFor();
  await details().getByText("2 of 3 checks passed · 1 open comment").waitFor();
});

test("its menu changes title, labels, reviewers and whether it is a draft", async () => {
  const dialog = page.getByRole("dialog");
  await menu().click();
  await menuitem("Close pull request…").waitFor();
  await world.picture("pull-menu", { forGuide: true });
  await menuitem("Edit…").click();
  await dialog.getByLabel("Title").fill("Round half cents once");
  await dialog.getByLabel("New description").fill("Half cents were rounded twice.");
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await dialog.waitFor({ state: "detached" });
  await details().getByText("Round half cents once").waitFor();
  assert.equal((await there()).body, "Half cents were rounded twice.");
  await menu().click();
  await menuitem("Comment…").click();
  await dialog.getByLabel("Comment").fill("Please look at the totals first.");
  await dialog.getByRole("button", { name: "Comment", exact: true }).click();
  await page.getByText("Commented on #1").waitFor();
  await menu().click();
  await menuitem("Labels…").click();
  await dialog.getByText("It has no labels.").waitFor();
  await dialog.getByLabel("Add labels").fill("cart, needs review");
  await dialog.getByRole("button", { name: "Save labels" }).click();
  await dialog.waitFor({ state: "detached" });
  await menu().click();
  await menuitem("Labels…").click();
  await dialog.getByLabel("needs review").uncheck();
  await dialog.getByRole("button", { name: "Save labels" }).click();
  await dialog.waitFor({ state: "detached" });
  const [{ labels }] = await world.call("GET", `/api/sessions/${session.id}/pulls`);
  assert.deepEqual(labels, ["cart"]);
  await menu().click();
  await menuitem("Request review…").click();
  await dialog.getByLabel("People").fill("@grace");
  await dialog.getByRole("button", { name: "Request review" }).click();
  await page.getByText("Requested a review of #1").waitFor();
  await menu().click();
  await menuitem("Convert to draft").click();
  await menu().click();
  await menuitem("Mark as ready for review").click();
  await menu().click();
  await menuitem("Convert to draft").waitFor();
  assert.equal((await there()).draft, false);
  await page.keyboard.press("Escape");
});

test("closing asks first", async () => {
  await menu().click();
  await menuitem("Close pull request…").click();
  const dialog = page.getByRole("dialog", { name: "Close pull request #1?" });
  await dialog.getByText("closed without being merged").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal((await there()).state, "OPEN");
});

test("reactions are explained, and a rule is switched off and on", async () => {
  // Without the messages of what was done before.
  await page.reload();
  const region = page.getByRole("region", { name: "Reactions" });
  await region
    .getByText("The agent was notified 1 of at most 2 times")
    .waitFor({ timeout: 30_000 });
  const actions = region.getByRole("button", { name: "Actions for Checks failed" });
  await actions.click();
  await menuitem("Switch off for this session").waitFor();
  await world.picture("reactions", { forGuide: true });
  await menuitem("Switch off for this session").click();
  await region.getByText("(switched off)").waitFor();
  await actions.click();
  await menuitem("Switch on again").click();
  await region.getByText("(switched off)").waitFor({ state: "detached" });
  await region.getByRole("button", { name: "Pause reactions" }).click();
  await region.getByText("Paused. New events are handled when you resume.").waitFor();
  await region.getByRole("button", { name: "Resume reactions" }).click();
  await region.getByRole("button", { name: "Pause reactions" }).waitFor();
});

test("the history says what reactions did; the project's settings what they would do", async () => {
  await page.reload();
  await world.command("Reaction history");
  const history = page.getByRole("dialog", { name: "Reaction history" });
  const entry = history.getByRole("listitem").filter({ hasText: "Checks failed" }).first();
  await entry.getByText("Done").waitFor();
  await entry.getByText("#1").first().waitFor();
  await world.picture("reaction-history", { forGuide: true });
  await history.getByRole("button", { name: "Close" }).first().click();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Projects" }).click();
  await page.getByRole("button", { name: "Show rules…" }).click();
  const rules = page.getByRole("dialog", { name: "Reactions of storefront" });
  await rules.getByText("ci-failed").waitFor();
  await rules.getByText("Built in").first().waitFor();
  await rules.getByText("Merge conflict").click();
  await rules.getByText(/conflicts with main; the agent was notified 2 times/).waitFor();
  await world.picture("reaction-rules", { forGuide: true });
  await rules.getByRole("button", { name: "Close" }).first().click();
  await world.row(new RegExp(TASK)).click();
});

test("it is merged once nothing is missing", async () => {
  await control({ op: "push", pull: pull.id, commit: "d".repeat(40) });
  await control({ op: "check", pull: pull.id, values: { name: "build" } });
  await control({ op: "set", id: pull.id, values: { review: "REVIEW_REQUIRED" } });
  await details().getByRole("button", { name: "Look again" }).click();
  await details().getByText("Review required").waitFor();
  const merge = page.getByRole("region", { name: "Merge" });
  await merge.getByRole("button", { name: "Merge #1 when ready" }).click();
  await merge.getByText("Queued at the forge").waitFor();
  await control({ op: "set", id: pull.id, values: { review: "APPROVED" } });
  await details().getByRole("button", { name: "Look again" }).click();
  await merge.getByRole("button", { name: "Merge #1 into main" }).click();
  await merge.getByText("pull request #1 landed on main").waitFor();
  await details().getByText("Merged", { exact: true }).waitFor();
  await world.picture("pull-merged");
  const [one] = await world.call("GET", "/api/sessions");
  assert.equal(one.lifecycle.stage, "merged");
});

test("the settings say whether the forge answers, and why not", async () => {
  await page.reload();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Forges" }).click();
  const forge = page.getByRole("listitem").filter({ hasText: "github.com" });
  await forge.getByText("acme/storefront").waitFor();
  await forge.getByText(/requests left/).waitFor();
  await control({ op: "fault", match: "", kind: "revoked", times: 100 });
  await page.getByRole("button", { name: "Look now" }).click();
  await forge.getByText(/First failed .*gh auth login/).waitFor();
  await control({ op: "clear" });
  await page.getByRole("button", { name: "Look now" }).click();
  await forge.getByText(/First failed/).waitFor({ state: "detached" });
  await world.picture("settings-forges", { forGuide: true });
});

test("the settings test a notifier", async () => {
  await page.getByRole("button", { name: "Notifiers" }).click();
  const hook = page.getByRole("listitem").filter({ hasText: "builds" });
  await hook.getByRole("button", { name: "Test builds" }).click();
  await hook.getByText("Test: delivered").waitFor();
  await world.picture("settings-notifiers", { forGuide: true });
});
