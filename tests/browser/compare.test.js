// One task for two agents: requested in the dialog, and compared side by side, on the conductor's page and
// for sessions without a conductor.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { until } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";
import { declareDuet } from "./world/duet.js";

const TASK = "Let totals come from one pure function";

let world;
let page;
let project;
let conductor;

begin(async (started) => {
  world = started;
  page = world.page;
  world.price();
  project = await world.storefront();
  // Not through the script's usual command: its screen-clearing output would become part of the answer.
  const steps = [
    "write src/totals.ts export const totals = (cart) => cart.lines.length;",
    "write src/totals.test.ts test",
    "use fake 120000 9000",
    "end Totals come from one pure function now.\\n\\nThe old helper is gone; its callers use the new one.",
  ];
  writeFileSync(world.at("tasks", TASK), steps.join("\n"));
  world.script("Rewrite the checkout", "say Ready to delegate.");
  conductor = await world.session({
    projectId: project.id,
    title: "Checkout rewrite",
    prompt: "Rewrite the checkout",
    conductor: true,
  });
  await world.status(conductor.id, "idle");
  await declareDuet(world);
  await page.reload();
});

const workers = () => world.call("GET", `/api/sessions/${conductor.id}/workers`);
const table = () => page.getByRole("table");
const row = (name) =>
  table()
    .getByRole("row")
    .filter({ has: page.getByText(name, { exact: true }) });

test("one task is given to two agents from the palette", async () => {
  await world.row(/^Checkout rewrite/).click();
  await world.command("Run with several agents");
  const dialog = world.dialog("Run with several agents");
  const create = dialog.getByRole("button", { name: "Create 2 workers" });
  assert.ok(await create.isDisabled(), "two agents without a task have nothing to compare");
  await dialog.getByRole("textbox", { name: "Task" }).fill(TASK);
  await dialog.getByLabel(/^Agent 2: Duet/).waitFor();
  await dialog.getByText("feature/let-totals-come-from-one-pure").first().waitFor();
  await world.picture("two-agents", { forGuide: true });
  await create.click();
  await dialog.waitFor({ state: "detached" });
  const made = await until("both workers", async () => {
    const all = await workers();
    return all.length === 2 && all;
  });
  assert.deepEqual(
    made.map(({ agent, task, title }) => ({ agent, task, title })),
    [
      { agent: "claude", task: TASK, title: `${TASK} (Claude Code)` },
      { agent: "duet", task: TASK, title: `${TASK} (Duet)` },
    ],
  );
  assert.equal(made[0].base.commit, made[1].base.commit);
  assert.notEqual(made[0].branch, made[1].branch);
});

test("the comparison shows what each changed, said and cost", async () => {
  await table()
    .getByRole("columnheader", { name: /Claude Code/ })
    .waitFor();
  await table().getByRole("columnheader", { name: /Duet/ }).waitFor();
  await table().getByText("The old helper is gone").waitFor();
  await table().getByText("Totals come from a wrapper now.").waitFor();
  const cells = (name) => row(name).getByRole("cell").allInnerTexts();
  await until("what they changed", async () => {
    const [claude, duet] = await cells("Changes");
    return claude === "2 files, +2 −0" && duet === "2 files, +2 −0";
  });
  assert.deepEqual(await cells("src/totals.ts"), ["+1 −0", "+1 −0"]);
  assert.deepEqual(await cells("src/checkout.ts"), ["–", "+1 −0"]);
  assert.deepEqual(await cells("src/totals.test.ts"), ["+1 −0", "–"]);
  const [cost, unknown] = await cells("Cost");
  assert.match(cost, /^\$0\.8\d/);
  assert.equal(unknown, "not known yet");
  await world.picture("compare", { forGuide: true });
});

test("the comparison fits in light colours, at half a screen and on a phone", async () => {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await world.picture("compare-light");
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await world.narrow(async (name) => {
    await table().waitFor();
    await world.picture(`compare-${name}`);
  });
});

test("the person chooses which workers are compared, and returns to cards", async () => {
  const { id } = await world.session({
    projectId: project.id,
    title: "Another task",
    parent: conductor.id,
    prompt: "say hello",
  });
  await world.status(id, "idle");
  const shown = page.getByRole("group", { name: "What to compare" });
  await shown.getByRole("button", { name: "Another task" }).click();
  await table().getByRole("columnheader", { name: "Another task" }).waitFor();
  assert.equal(await table().getByRole("columnheader").count(), 4);
  await shown.getByRole("button", { name: "Another task" }).click();
  await page.locator("label", { hasText: "Cards" }).click();
  await page.getByRole("article", { name: "Another task" }).waitFor();
  await page.keyboard.press("Alt+Shift+C");
  await table().getByRole("columnheader", { name: /Duet/ }).waitFor();
});

test("the buttons of a column write to that worker, kill it and open it", async () => {
  const column = table().getByRole("columnheader", { name: /Claude Code/ });
  await column.getByRole("button", { name: "Send…" }).click();
  await column.getByRole("textbox").fill("write src/more.ts more");
  await page.keyboard.press("Enter");
  await row("src/more.ts").waitFor();
  await table()
    .getByRole("columnheader", { name: /Duet/ })
    .getByRole("button", { name: "Kill worker" })
    .click();
  await world.dialog().getByRole("button", { name: "Kill worker" }).click();
  await row("Status").getByText("Killed").waitFor();
  await column.getByRole("button", { name: "Open" }).click();
  await page.getByRole("heading", { level: 1, name: `${TASK} (Claude Code)` }).waitFor();
});

test("sessions with the same task and no conductor are compared from their menu", async () => {
  const prompt = "say the same";
  for (const agent of ["claude", "duet"]) {
    await world.session({ projectId: project.id, title: `Alone: ${agent}`, agent, prompt });
  }
  await world.row(/^Alone: duet/).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Compare 2 side by side" }).click();
  await page.getByRole("heading", { level: 1, name: "2 sessions with the same task" }).waitFor();
  await table().getByRole("columnheader", { name: "Alone: claude" }).waitFor();
  await page.reload();
  await table().getByRole("columnheader", { name: "Alone: duet" }).waitFor();
});

test("one is kept: the other is stopped and archived, and brought back", async () => {
  const keep = page.getByRole("button", { name: "Keep this one: Alone: duet" });
  await keep.click();
  const dialog = page.getByRole("dialog", { name: "Keep Alone: duet?" });
  await dialog.getByText("Alone: claude").waitFor();
  await world.picture("compare-keep", { forGuide: true });
  await dialog.getByRole("button", { name: "Keep this one" }).click();
  await page.getByRole("heading", { level: 1, name: "Alone: duet" }).waitFor();
  const path = `/api/sessions?project=${project.id}&archived=true`;
  const archived = await world.call("GET", path);
  assert.deepEqual(
    archived.map(({ title, status, workspacePath }) => [title, status, workspacePath !== null]),
    [["Alone: claude", "exited", true]],
  );
  await page.getByRole("button", { name: "Undo" }).click();
  await world.row(/^Alone: claude/).waitFor();
});
