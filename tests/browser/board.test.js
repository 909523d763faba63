// The board, over a real engine: a session goes from its task to the default branch by keys alone, a question is answered in
// place, and the columns stay true while things change.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";
import { WIDE } from "./world/world.js";

const CHECKS = `checks:
  - name: npm test
    run: { sh: 'test -e rounded' }
`;
const TASKS = {
  round: "Round half cents in the cart",
  search: "Rebuild the search index",
  migrate: "Move prices to the money type",
  notes: "Write the release notes",
};

let world;
let page;
let project;
const ids = {};

begin(async (started) => {
  world = started;
  page = world.page;
  project = await world.storefront();
  writeFileSync(join(project.path, "downbeat.yaml"), CHECKS);
  git(project.path, "add", "-A");
  git(project.path, "commit", "-qm", "Checks");
  const { checks } = (await world.call("GET", "/api/projects"))[0];
  await world.call("PATCH", `/api/projects/${project.id}`, { approveChecks: checks.hash });
  const say = "say \u001b[1m●\u001b[0m Totals are rounded per line now.";
  world.script(TASKS.round, say);
  world.script(TASKS.search, world.work);
  world.script(TASKS.migrate, "offer npm run migrate:dev");
  world.script(TASKS.notes, say);
  for (const [name, title] of Object.entries(TASKS)) {
    const ask = { projectId: project.id, title, prompt: title, agent: "claude" };
    ids[name] = (await world.call("POST", "/api/sessions", ask)).id;
  }
  const round = await world.status(ids.round, "idle");
  await world.status(ids.search, "running");
  await world.status(ids.migrate, "waiting");
  await world.status(ids.notes, "idle");
  writeFileSync(join(round.workspacePath, "rounded"), "");
  git(round.workspacePath, "add", "-A");
  git(round.workspacePath, "commit", "-qm", "Round half cents");
  await world.call("DELETE", `/api/sessions/${ids.notes}`);
  await world.status(ids.notes, "killed");
});

function git(cwd, ...args) {
  return execFileSync("git", args, { cwd, env: world.env }).toString();
}

const card = (name) => page.locator(`[data-card=${ids[name]}]`);

/** Waits until a card stands in this column. */
async function stands(name, column) {
  await page.locator(`[data-column=${column}] [data-card=${ids[name]}]`).waitFor();
}

test("home shows every session in the column of who must act", async () => {
  await page.reload();
  await stands("search", "working");
  await stands("migrate", "needsYou");
  await stands("round", "inReview");
  await stands("notes", "done");
  await card("round").getByText("Finished its turn").waitFor();
  await card("migrate").locator("[data-answer='1']:not([aria-disabled=true])").waitFor();
  await world.everyLook("board");
  await page.setViewportSize({ width: 400, height: 800 });
  await card("migrate").locator("[data-answer='1']:not([aria-disabled=true])").waitFor();
  await world.picture("board-phone", { forGuide: true });
  await page.setViewportSize(WIDE);
});

test("a question is answered on the board", async () => {
  await card("migrate").locator(".what").focus();
  await card("migrate").getByText("npm run migrate:dev", { exact: true }).waitFor();
  const { question } = await world.call("GET", `/api/sessions/${ids.migrate}`);
  assert.match(question.options[0], /^Yes/);
  await card("migrate").locator("[data-answer='1']:not([aria-disabled=true])").waitFor();
  await page.keyboard.press("1");
  await stands("migrate", "inReview");
});

test("keys alone check a session's work and merge it", async () => {
  await card("round").locator(".what").focus();
  await page.keyboard.press("c");
  await stands("round", "readyToMerge");
  await card("round").getByText("Checks passed").waitFor();
  await card("round").locator(".what").focus();
  await page.keyboard.press("m");
  await stands("round", "done");
  await card("round").getByText("Merged").waitFor();
  const landed = git(project.path, "log", "-3", "--format=%s", "main");
  assert.match(landed, /Round half cents/);
});

test("a filter hides the other sessions, and is kept over a reload but for its words", async () => {
  await page.keyboard.press("/");
  await page.keyboard.type("search");
  await until("one card", async () => (await page.locator("[data-card]").count()) === 1);
  await page.keyboard.press("Escape");
  await until("all cards", async () => (await page.locator("[data-card]").count()) === 4);
});

test("narrow windows show a column at a time", async () => {
  await world.narrow(async () => {
    await page.getByRole("radio", { name: /^In review/ }).check({ force: true });
    await stands("migrate", "inReview");
  });
});
