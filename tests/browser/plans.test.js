// Plans, over a real engine: tasks are typed, shown and run in the window; what needs work waits for it; a failure is retried or
// left out; and the board, the graph and the timeline tell the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";

/** The longest that a worker needs, on a busy machine. */
const timeout = 60_000;

let world;
let page;

begin(async (started) => {
  world = started;
  page = world.page;
  world.price();
  await world.storefront();
});

const share = (name) => page.locator(`[data-share="${name}"]`);
const state = (name, wanted) => page.locator(`[data-share="${name}"][data-state=${wanted}]`);

/** Chooses an entry of the plan's menu. */
async function choose(name) {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name }).click();
}

/** The tasks of a sign-in; the scripted agent does what their descriptions say. */
function tasks() {
  const task = (id, title, domain, needs, description) => ({
    id,
    title,
    domain,
    dependencies: needs,
    description,
  });
  return [
    task("schema", "Tables for credentials", "database", [], "commit schema.sql tables"),
    task("api", "Endpoints to register and sign in", "backend", ["schema"], "commit api.js routes"),
    task("form", "Sign-in form", "frontend", ["api"], world.work),
    task("list", "List of a person's passkeys", "profile", ["api"], "offer npm run migrate:dev"),
    task("mail", "Mail after a new passkey", "mail", ["schema"], "die 3"),
    task("audit", "Audit log of sign-ins", "security", ["mail"], "commit audit.js log"),
    task("e2e", "End-to-end tests", "testing", ["form", "list"], "commit e2e.js tests"),
    task("guide", "Guide page", "documentation", [], "commit guide.md page"),
  ];
}

test("a plan is shown before it runs, and what cannot be done is said at its field", async () => {
  await page.getByRole("button", { name: /^Plans/ }).click();
  await page.getByText("No plans yet").waitFor();
  await page.getByRole("main").getByRole("button", { name: "New plan" }).click();
  const dialog = world.dialog("New plan");
  const text = dialog.getByRole("textbox", { name: "Tasks" });
  await text.fill('"Make A (id: a) (depends_on: b)" "Make B (id: b) (depends_on: a)"');
  await dialog.getByRole("alert").getByText("These tasks wait for each other").waitFor();
  const goal =
    "Build login UI (depends_on: api), Create JWT API (id: api), Write tests, Security audit";
  await text.fill(goal);
  const preview = dialog.getByRole("region", { name: "What will run" });
  await preview.getByText("4 workers for 4 tasks").waitFor();
  await preview.getByText("3 tasks can run at once, in 3 domains").waitFor();
  await world.picture("new-plan", { forGuide: true });
  assert.deepEqual(await world.call("GET", "/api/plans"), []);
  await text.fill(JSON.stringify({ title: "Sign-in with passkeys", tasks: tasks() }));
  await preview.getByText("8 workers for 8 tasks").waitFor();
  await page.keyboard.press("Control+Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("heading", { level: 1, name: "Sign-in with passkeys" }).waitFor();
});

test("a plan goes on by itself as far as it can, and says what holds the rest", async () => {
  await state("database", "done").waitFor({ timeout });
  await state("documentation", "done").waitFor({ timeout });
  await state("backend", "done").waitFor({ timeout });
  await state("mail", "failed").waitFor({ timeout });
  await state("security", "held")
    .getByText(/mail failed/)
    .waitFor({ timeout });
  await share("profile").getByText("npm run migrate:dev").waitFor({ timeout });
  await share("testing")
    .getByText(/Waits for/)
    .waitFor();
  await share("frontend").getByText("Running", { exact: true }).waitFor({ timeout });
  await world.everyLook("plan");
});

test("the graph and the timeline show the same plan, with the details of a task", async () => {
  await page.getByRole("radio", { name: "Graph" }).check({ force: true });
  await page.locator("[data-task=api]").click();
  const details = page.getByRole("complementary", { name: /^About “Endpoints/ });
  await details.getByRole("region", { name: "Needed by" }).getByText("Sign-in form").waitFor();
  await world.everyLook("plan-graph");
  await page.getByRole("radio", { name: "Timeline" }).check({ force: true });
  await page.getByRole("region", { name: "Who worked when" }).getByText("database").waitFor();
  await page.keyboard.press("Escape");
  await details.getByRole("button", { name: "Close" }).click();
  await world.everyLook("plan-timeline", { forGuide: false });
  await page.getByRole("radio", { name: "List" }).check({ force: true });
});

test("cards say which plan they belong to, and the board is grouped by plan", async () => {
  await page.getByRole("button", { name: "Board" }).click();
  await page.getByLabel(/^Group: /).click();
  await page.getByRole("option", { name: "By plan" }).click();
  await page.locator("[data-column=working]").getByRole("heading").first().waitFor();
  await world.picture("board-plan");
  await page.goBack();
  await share("backend").waitFor();
});

test("a failed task is retried, then left out, and what needs it starts", async () => {
  const worker = async () => {
    const [{ workers }] = await world.call("GET", "/api/plans");
    return workers.find(({ name }) => name === "mail");
  };
  const before = (await worker()).sessionId;
  await share("mail").getByRole("button", { name: "Retry" }).click();
  // It is running for a moment only.
  await until("another worker to fail", async () => {
    const { sessionId, state } = await worker();
    return state === "failed" && sessionId !== undefined && sessionId !== before;
  });
  await state("mail", "failed").waitFor({ timeout });
  await share("mail").getByRole("button", { name: "Actions for mail" }).click();
  await page.getByRole("menuitem", { name: "Skip…" }).click();
  await world
    .dialog(/^Continue without mail/)
    .getByRole("button", { name: "Skip" })
    .click();
  await state("mail", "skipped").waitFor({ timeout });
  await state("security", "done").waitFor({ timeout });
});

test("the plan itself is changed, and its work is merged as far as it is done", async () => {
  await choose("Edit plan…");
  const edit = world.dialog("Edit plan");
  await edit.getByRole("spinbutton", { name: /^Workers at once/ }).fill("51");
  await edit.getByText("1 to 50 are possible.").waitFor();
  await edit.getByRole("spinbutton", { name: /^Workers at once/ }).fill("4");
  await edit.getByRole("textbox", { name: "Title" }).fill("Sign-in without passwords");
  await edit.getByRole("button", { name: "Save" }).click();
  await edit.waitFor({ state: "detached" });
  await page.getByRole("heading", { level: 1, name: "Sign-in without passwords" }).waitFor();
  const [{ atOnce, tasks }] = await world.call("GET", "/api/plans");
  assert.equal(atOnce, 4);
  assert.equal(tasks.length, 8);

  await choose("Merge all…");
  const merge = world.dialog(/^Merge the work of/);
  await world.picture("plan-merge", { forGuide: true });
  await merge.getByRole("button", { name: "Merge all" }).click();
  const left = merge.getByRole("alert");
  await left.getByText(/profile: it is running/).waitFor();
  await left.getByText(/testing: it needs the work of frontend/).waitFor();
  await merge.getByRole("button", { name: "Back" }).click();
  await until("what is done to land", async () => {
    const [{ workers }] = await world.call("GET", "/api/plans");
    const landed = workers.filter((worker) => worker.landed !== undefined);
    return ["database", "backend", "security", "documentation"].every((name) =>
      landed.some((worker) => worker.name === name && worker.landed.startsWith("main as ")),
    );
  });
});

test("a question of a worker is answered from the plan, and the plan is paused, resumed and cancelled", async () => {
  await share("profile")
    .getByRole("button", { name: /^Open session/ })
    .click();
  await page.locator("[data-answer='3']:not([aria-disabled=true])").click();
  await page.goBack();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await choose("Cancel plan…");
  await world
    .dialog(/^Cancel “/)
    .getByRole("button", { name: "Cancel plan" })
    .click();
  await page.getByText("Cancelled", { exact: true }).waitFor();
  await until("the engine to know", async () => {
    const [plan] = await world.call("GET", "/api/plans");
    return plan.state === "cancelled";
  });
  await page.getByRole("button", { name: /^Plans/ }).click();
  await page.locator("[data-plan]").waitFor();
  await world.everyLook("plans", { forGuide: false });
});
