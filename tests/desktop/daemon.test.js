// Desktop notifications of the real window at a real notification daemon (dunst): what it was given, and that its default
// action opens the session. Which notices are shown when is in `window.test.js`.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "./world/processes.js";
import { makeRepository } from "./world/repository.js";
import { World } from "./world/world.js";

const TITLE = "Escape <b>bold</b> & friends";

let world;
let id;

before(async () => {
  world = await World.start({ dunst: true });
  await world.open();
  const path = makeRepository(join(world.home, "storefront"), world.env);
  const project = (await world.call("add_project", { path, trust: true })).id;
  const asked = { projectId: project, agent: "claude", title: TITLE, prompt: "ask May I?" };
  id = (await world.call("create_session", asked)).id;
  await world.becomes(id, "waiting");
});
after(() => world?.end());

/** Returns the notifications that dunst has closed, the newest first. */
function history() {
  const [closed] = JSON.parse(world.dunst("history")).data;
  return closed.map((one) => ({
    summary: one.summary.data,
    body: one.body.data,
    app: one.appname.data,
  }));
}

test("the action of a notification at dunst opens its session", async () => {
  await until("a notification", () => world.dunst("count", "displayed").trim() === "1");
  world.dunst("action");
  await until("the session in view", () =>
    world.page.script(
      "return document.querySelector('[role=treeitem][aria-selected=true]')?.ariaLabel.includes('Escape')",
    ),
  );
});

test("dunst was given text without markup", async () => {
  world.dunst("close-all");
  const shown = await until("the history", () => history()[0]);
  assert.equal(shown.app, "Downbeat");
  assert.match(shown.summary, /needs you/);
  assert.ok(shown.summary.includes("Escape"), shown.summary);
  assert.ok(!/[<>&]/.test(shown.summary + shown.body), `markup reached dunst: ${shown.summary}`);
});
