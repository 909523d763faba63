// A plan in the real window: typed, shown, run, seen as list, graph and timeline, retried, left out, and told of when it is complete.
// The browser tests cover each in detail; these check that they work in WebKit.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./world/processes.js";
import { makeRepository } from "./world/repository.js";
import { World } from "./world/world.js";

let world;

before(async () => {
  world = await World.start();
  await world.open();
  const path = makeRepository(`${world.home}/storefront`, world.env);
  await world.call("add_project", { path, trust: true });
});
after(() => world?.end());

/** Waits until the page has this element. */
const has = (selector) =>
  until(selector, () =>
    world.page.script("return document.querySelector(arguments[0]) !== null", selector),
  );
const share = (name, state) => has(`[data-share="${name}"][data-state=${state}]`);

/** The scripted agent does what the descriptions of these tasks say. */
function tasks() {
  const task = (id, title, domain, dependencies, description) => ({
    id,
    title,
    domain,
    dependencies,
    description,
  });
  return [
    task("schema", "Tables for credentials", "database", [], "commit schema.sql tables"),
    task("api", "Endpoints to sign in", "backend", ["schema"], "commit api.js routes"),
    task("mail", "Mail after a new passkey", "mail", ["schema"], "die 3"),
    task("audit", "Audit log of sign-ins", "security", ["mail"], "say What is logged?"),
  ];
}

test("a plan is typed, and shown before it runs", async () => {
  await world.click("button", "Plans");
  await world.says("No plans yet");
  await world.click("main button", "New plan");
  const field = await until("the field", () => world.page.find("[role=dialog] textarea"));
  await field.type("Build login UI, Create JWT API, Write tests, Security audit");
  await world.says("4 workers for 4 tasks");
  await world.picture("plan-new");
  await world.page.press("control", "a");
  await field.type(JSON.stringify({ title: "Sign-in with passkeys", tasks: tasks() }));
  await world.says("Audit log of sign-ins");
  await world.page.press("control", "enter");
  await has("h1");
  await world.says("Sign-in with passkeys");
});

test("it goes on by itself as far as it can, and says what holds the rest", async () => {
  await share("database", "done");
  await share("backend", "done");
  await share("mail", "failed");
  await share("security", "held");
  await world.says("mail failed");
  await world.picture("plan-list");
});

test("its graph and its timeline show the same", async () => {
  await world.click("label", "Graph");
  await world.click("[data-task=api]", "");
  await world.says("Tables for credentials");
  await has("[role=complementary], aside");
  await world.picture("plan-graph");
  await world.click("label", "Timeline");
  await world.says("database");
  await world.picture("plan-timeline");
  await world.page.press("escape");
  await world.click("label", "List");
});

test("what failed is retried, then left out, and the end of the plan is told", async () => {
  const worker = async () => {
    const [{ workers }] = await world.call("list_plans");
    return workers.find(({ name }) => name === "mail");
  };
  const before = (await worker()).sessionId;
  await world.click("[data-share=mail] button", "Retry");
  await until("another worker to fail", async () => {
    const { sessionId, state } = await worker();
    return state === "failed" && sessionId !== undefined && sessionId !== before;
  });
  await share("mail", "failed");
  await world.click("[data-share=mail] button[aria-label='Actions for mail']", "");
  await world.click("[role=menuitem]", "Skip…");
  await world.click("[role=dialog] button", "Skip");
  await world.says("ended its turn without a commit");
  // A notice of the plan in view would be read before the desktop shows it.
  await world.click("button", "Board");
  const [{ workers }] = await world.call("list_plans");
  const { sessionId } = workers.find(({ name }) => name === "security");
  await world.call("send_message", { id: sessionId, content: "commit audit.js log" });
  const isIt = ({ summary }) => summary?.includes("plan complete: Sign-in with passkeys");
  await world.desk.event("notification", isIt);
  await world.click("button", "Plans");
  await world.click("main button", "Sign-in with passkeys");
  await share("security", "done");
  await world.says("Complete");
  await world.picture("plan-complete");
  const [{ state }] = await world.call("list_plans");
  assert.equal(state, "complete");
});
