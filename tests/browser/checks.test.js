// Checks: approved in the settings, run on a session's commit, their output read and sent to the agent; and merges, in their queue.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";

const TASK = "Round half cents in the cart";
const CHECKS = `checks:
  - name: build
    run: { sh: 'echo built' }
  - name: npm test
    run: { sh: 'test -e rounded || { echo "FAIL src/cart/totals.test.ts > rounds half cents"; exit 1; }' }
  - name: lint
    run: { sh: 'echo "2 warnings"; exit 1' }
    required: false
`;

let world;
let page;
let project;

begin(async (started) => {
  world = started;
  page = world.page;
  project = await world.storefront();
  world.script(TASK, "say \u001b[1m●\u001b[0m Totals are rounded per line now.");
});

const details = () => page.getByRole("region", { name: "Checks" });
const button = (name) => details().getByRole("button", { name, exact: true });

async function commit(session, name) {
  writeFileSync(join(session.workspacePath, name), name);
  const me = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  execFileSync("git", ["add", "-A"], { cwd: session.workspacePath, env: world.env });
  execFileSync("git", [...me, "commit", "-qm", name], {
    cwd: session.workspacePath,
    env: world.env,
  });
}

test("checks wait for the person's approval of exactly these commands", async () => {
  const made = await world.call("POST", "/api/sessions", {
    projectId: project.id,
    title: TASK,
    prompt: TASK,
    agent: "claude",
  });
  await world.status(made.id, "idle");
  writeFileSync(join(project.path, "downbeat.yaml"), CHECKS);
  await page.reload();
  await world.row(new RegExp(TASK)).click();
  await details().getByText("You have not approved this project's checks.").waitFor();
  await button("Review checks…").click();
  const commands = page.getByRole("listitem").filter({ hasText: "npm test: sh -c" });
  await commands.waitFor();
  await world.picture("checks-unapproved");
  await page.getByRole("button", { name: "Approve these commands" }).last().click();
  await page.getByText("From downbeat.yaml. Approved.").waitFor();
});

test("a red result shows each check, its output, and goes to the agent by choice", async () => {
  await world.row(new RegExp(TASK)).click();
  await details().getByText("Not run yet.").waitFor();
  await button("Run checks").click();
  await details().getByText("Failed").waitFor();
  await details().getByText("exit code 1").first().waitFor();
  await world.picture("checks", { forGuide: true });
  await button("npm test").click();
  const dialog = world.dialog("npm test");
  await dialog.locator("pre").getByText("FAIL src/cart/totals.test.ts").waitFor();
  await world.picture("check-output");
  await page.keyboard.press("Escape");
  await button("Send to agent").click();
  await details().getByText("Sent to the agent once.").waitFor();
});

test("a new commit turns it green", async () => {
  const [session] = await world.call("GET", "/api/sessions");
  await world.status(session.id, "idle");
  await commit(session, "rounded");
  await button("Run again").click();
  // The first check has passed before the last one has begun.
  await until("all checks", async () => {
    const [{ checksState }] = await world.call("GET", "/api/sessions");
    return checksState === "green";
  });
  await details().getByText("Passed").waitFor();
  await world.picture("checks-green");
});

test("green work is merged into the default branch", async () => {
  const merge = page.getByRole("region", { name: "Merge" });
  await merge.getByRole("button", { name: "Merge into main" }).click();
  await merge.getByText("Landed", { exact: true }).waitFor();
  await world.picture("merged", { forGuide: true });
  const log = execFileSync("git", ["log", "-1", "--format=%s"], {
    cwd: project.path,
    env: world.env,
  });
  assert.match(log.toString(), /^Merge branch /);
  assert.equal(
    execFileSync("git", ["show", "HEAD:rounded"], { cwd: project.path }).toString(),
    "rounded",
  );
});

test("work in the merge queue says its place and why it waits, and can be moved forward", async () => {
  const merge = page.getByRole("region", { name: "Merge" });
  const queue = (paused) => world.call("POST", `/api/projects/${project.id}/queue`, { paused });
  await queue(true);
  for (const title of ["Show the tax", "Sort by price"]) {
    const asked = { projectId: project.id, title, prompt: "say Done.", agent: "claude" };
    const made = await world.call("POST", "/api/sessions", asked);
    const session = await world.status(made.id, "idle");
    await commit(session, title.split(" ")[0]);
    await world.row(new RegExp(title)).click();
    await button("Run checks").click();
    await details().getByText("Passed").waitFor();
    await merge.getByRole("button", { name: "Merge into main" }).click();
    await merge.getByText("the queue is paused").waitFor();
  }
  await merge.getByText("2nd in the queue of main: the queue is paused").waitFor();
  await page.getByText("2nd in the queue of main", { exact: true }).waitFor();
  await world.picture("merge-queue", { forGuide: true });
  await merge.getByRole("button", { name: "Merge sooner" }).click();
  await merge.getByText("1st in the queue of main: the queue is paused").waitFor();
});

test("the queue of a project shows what waits and why, and is changed there", async () => {
  const merge = page.getByRole("region", { name: "Merge" });
  await merge.getByRole("button", { name: "Show queue" }).click();
  const list = page.getByRole("region", { name: "Queue of main" });
  const entry = (at) => list.getByRole("listitem").nth(at);
  await entry(0).getByText("Sort by price").waitFor();
  await entry(1).getByText("Show the tax").waitFor();
  await list.getByRole("status").getByText("The queue is paused.").waitFor();
  await world.everyLook("merge-queue-view");
  await entry(1)
    .getByLabel(/^Priority of Show the tax/)
    .click();
  await page.getByRole("option", { name: "High" }).click();
  await entry(1).getByLabel("Priority of Show the tax: High").waitFor();
  await entry(0).getByRole("button", { name: "Remove Sort by price from the queue" }).click();
  await entry(0).getByText("Show the tax").waitFor();
  await world.row(/Sort by price/).click();
  await merge.getByRole("button", { name: "Merge into main" }).click();
  await merge.getByText("2nd in the queue of main: the queue is paused").waitFor();
  await world.command("Show the merge queue");
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await list.getByText("The queue is empty").waitFor({ timeout: 30_000 });
  await world.row(/Sort by price/).click();
  await merge.getByText("Landed", { exact: true }).waitFor();
  await world.row(/Show the tax/).click();
  await merge.getByText("Landed", { exact: true }).waitFor();
});
