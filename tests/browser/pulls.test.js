// Pull requests: a session's is found at the forge by its commit, its checks and comments are read, and its merge is seen.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../../scripts/run.js";
import { lines, start } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";

const TASK = "Round half cents in the cart";
const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

let world;
let page;
let session;
let pull;

const stdio = ["pipe", "pipe", "inherit"];
const forge = start(process.execPath, [join(root, "tests", "forge", "server.js")], { stdio });
after(() => forge.child.kill());
const { address } = JSON.parse(await new Promise((done) => lines(forge.child.stdout, done)));

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
    const url = "git@github.com:acme/storefront.git";
    git(project.path, "remote", "add", "origin", url);
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
    pull = await control({
      op: "pull",
      repository: repository.id,
      branch: session.branch,
      commit: git(session.workspacePath, "rev-parse", "HEAD").trim(),
      title: "Round half cents once, at the end",
      review: "REVIEW_REQUIRED",
    });
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
  },
  {
    env: { GH_TOKEN: TOKEN },
    config: `forges: { github.com: { api: '${address}', graphql: '${address}/graphql' } }\n`,
  },
);

function git(cwd, ...args) {
  return execFileSync("git", args, { cwd, env: world.env }).toString();
}

const details = () => page.getByRole("region", { name: "Pull request" });

test("a pull request is found after a push, with what is missing", async () => {
  git(session.workspacePath, "update-ref", `refs/remotes/origin/${session.branch}`, "HEAD");
  await world.row(new RegExp(TASK)).click();
  await details().getByText("Checks failed: test (ubuntu-latest)").waitFor({ timeout: 30_000 });
  await page.getByRole("treeitem", { name: /#1: Checks failed/ }).waitFor();
});

test("its checks and comments are read on request", async () => {
  await details().getByRole("button", { name: "2 of 3 checks passed · 1 open comment" }).click();
  await details().getByText("src/cart/totals.ts:41").waitFor();
  await details().getByText("Half cents are rounded twice here.").waitFor();
  await world.picture("pull-request", { forGuide: true });
});

test("what happens at the forge is seen after a look", async () => {
  const values = { state: "MERGED", mergedAt: "2026-01-01T00:00:00Z" };
  await control({ op: "set", id: pull.id, values });
  await details().getByRole("button", { name: "Look again" }).click();
  await details().getByText("Merged", { exact: true }).waitFor();
  await world.picture("pull-merged");
  const [one] = await world.call("GET", "/api/sessions");
  assert.equal(one.lifecycle.stage, "merged");
});
