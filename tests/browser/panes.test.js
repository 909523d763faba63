// Panes over a real engine: what is typed reaches one session only, keys alone split and move, and the layout is back
// after a reload.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";

const TITLES = ["One cart", "Two taxes", "Three mails", "Four upload tests"];

let world;
let page;
let ids;

begin(async (started) => {
  world = started;
  page = world.page;
  const project = await world.storefront();
  ids = [];
  for (const title of TITLES) {
    const { id } = await world.session({ projectId: project.id, title, agent: "shell" });
    ids.push(id);
  }
  for (const id of ids) await world.shows(id, "$");
  await world.row(/One cart/).click();
  await world.terminal.getByText("$").first().waitFor();
});

const names = () => page.locator("[data-pane] h2").allInnerTexts();
const shown = (wanted) =>
  until(`the panes ${wanted}`, async () => (await names()).join() === wanted.join() || null);
const pane = (title) => page.getByRole("region", { name: new RegExp(`: ${title}$`) });
/** Waits until the keyboard is in this session's terminal. */
const inTerminal = (title) =>
  until(`the keyboard in ${title}`, () =>
    page.evaluate((name) => {
      const at = document.activeElement;
      return at?.matches(".xterm-helper-textarea") && at.ariaLabel === `Terminal of ${name}`;
    }, title),
  );
const output = async (id) => (await world.call("GET", `/api/sessions/${id}/output?lines=200`)).text;

test("keys alone split the view and choose a session for the new pane", async () => {
  await page.keyboard.press("Alt+Shift+V");
  await pane("Empty pane").waitFor();
  await page.keyboard.type("two tax");
  await page.keyboard.press("Enter");
  await shown(TITLES.slice(0, 2));
  await inTerminal(TITLES[1]);
});

test("a row is opened in a new pane with Ctrl", async () => {
  await world.row(/Three mails/).click({ modifiers: ["Control"] });
  await inTerminal(TITLES[2]);
  await world.row(/Four upload/).focus();
  await page.keyboard.press("Control+Enter");
  await shown(TITLES);
  await inTerminal(TITLES[3]);
});

test("what is typed is seen in the focused pane and reaches no other session", async () => {
  for (const [at, title] of TITLES.entries()) {
    await page.keyboard.press("Alt+Shift+PageDown");
    await inTerminal(title);
    await page.keyboard.type(`echo typed-${at}-$((40 + 2))\n`);
    await pane(title).locator(".xterm-rows").getByText(`typed-${at}-42`).waitFor();
  }
  for (const [at, id] of ids.entries()) {
    const text = await output(id);
    for (const other of ids.keys())
      assert.equal(text.includes(`typed-${other}-`), other === at, `${at} has ${other}: ${text}`);
  }
});

test("a reload brings the panes back, with the keyboard where it was", async () => {
  await page.keyboard.press("Alt+Shift+J");
  await inTerminal(TITLES[2]);
  await page.reload();
  await shown(TITLES);
  await inTerminal(TITLES[2]);
  for (const [at, title] of TITLES.entries())
    await pane(title).locator(".xterm-rows").getByText(`typed-${at}-42`).waitFor();
  await world.everyLook("panes");
});

test("another page, with empty storage, shows the same panes", async () => {
  await until("the engine's copy", async () => {
    const { values } = await world.call("GET", "/api/preferences");
    return values["downbeat.panes"]?.includes(ids[3]);
  });
  const other = await world.visit();
  await other.locator("[data-pane]").nth(3).waitFor();
  await other.context().close();
});

test("a pane is zoomed, closed, and left by a session that is removed", async () => {
  await page.keyboard.press("Alt+Shift+Z");
  await page.getByRole("heading", { level: 1, name: TITLES[2] }).waitFor();
  await page.keyboard.press("Alt+Shift+Z");
  await shown(TITLES);
  await page.keyboard.press("Alt+Shift+W");
  await shown([TITLES[0], TITLES[1], TITLES[3]]);
  await inTerminal(TITLES[3]);
  await world.call("DELETE", `/api/sessions/${ids[1]}`);
  await world.status(ids[1], "killed");
  const how = { force: true, deleteBranch: true, forget: true };
  await world.call("DELETE", `/api/sessions/${ids[1]}/workspace`, how);
  await page.getByText("It was removed from the list.").waitFor();
  await inTerminal(TITLES[3]);
  await page.keyboard.type("echo still here\n");
  await pane(TITLES[3]).locator(".xterm-rows").getByText("still here").first().waitFor();
});
