// @vitest-environment node
/// <reference types="node" />
// Panes in a real browser, over fixtures: where keys go, what keys and pointer do to the layout, and what is kept.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { LONG, withApp } from "./app";
import { chromiumPath } from "./chromium";

describe.skipIf(chromiumPath === undefined)("panes", { timeout: LONG }, () => {
  let page: Page;
  const { row, open } = withApp((fresh) => (page = fresh));

  const panes = () =>
    page
      .locator("[data-pane]")
      .evaluateAll((all) => all.map((one) => one.querySelector("h2")?.textContent.trim() ?? ""));
  const focused = () => page.locator("[data-focused] h2").textContent();
  const typed = (id: string) => page.evaluate((id) => window.keepers.get(id)?.typed ?? "", id);
  /** Waits until the keyboard is in the terminal of this pane. */
  const inTerminal = (name: string) =>
    expect
      .poll(() =>
        page.evaluate(() => {
          const at = document.activeElement;
          return at?.matches(".xterm-helper-textarea") === true
            ? at.closest("[data-pane]")?.querySelector("h2")?.textContent.trim()
            : null;
        }),
      )
      .toBe(name);
  const kept = () => page.evaluate(() => localStorage.getItem("downbeat.panes"));

  test("what is typed reaches the focused pane only, whichever way it got the focus", async () => {
    await open("view=session:s1&panes=s1,s2/s3,s4");
    await inTerminal("Checkout rewrite");
    await page.keyboard.type("one");
    await page.keyboard.press("Alt+Shift+L");
    await inTerminal("auth-module");
    await page.keyboard.type("two");
    await page.keyboard.press("Alt+Shift+K");
    await inTerminal("unit-tests");
    await page.keyboard.type("four");
    await page.keyboard.press("Alt+Shift+PageUp");
    await inTerminal("api-endpoints");
    await page.locator('[data-pane="0"] .xterm-screen').click();
    await inTerminal("Checkout rewrite");
    await page.keyboard.type("+");
    expect(await Promise.all(["s1", "s2", "s3", "s4"].map(typed))).toEqual([
      "one+",
      "two",
      "",
      "four",
    ]);
    expect(await focused()).toContain("Checkout rewrite");
  });

  test("keys split, fill, move, zoom and close panes", async () => {
    await open("view=session:s3");
    await page.locator(".xterm-helper-textarea").focus();
    await page.keyboard.press("Alt+Shift+V");
    await expect.poll(panes).toEqual(["api-endpoints", "Empty pane"]);
    // The list of sessions has the keyboard, and Enter takes the first that has the words.
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
    await page.keyboard.type("unit");
    await page.keyboard.press("Enter");
    await expect.poll(panes).toEqual(["api-endpoints", "unit-tests"]);
    await inTerminal("unit-tests");
    await page.evaluate(() => window.downbeat.commands.run("movePaneLeft"));
    await expect.poll(panes).toEqual(["unit-tests", "api-endpoints"]);
    await inTerminal("unit-tests");
    await page.keyboard.press("Alt+Shift+Z");
    await page.getByRole("heading", { level: 1, name: "unit-tests" }).waitFor();
    await page.getByRole("button", { name: "Back to 2 panes" }).click();
    await expect.poll(panes).toEqual(["unit-tests", "api-endpoints"]);
    await page.keyboard.press("Alt+Shift+W");
    await page.getByRole("heading", { level: 1, name: "api-endpoints" }).waitFor();
    expect(await typed("s3")).toBe("");
    expect(await typed("s4")).toBe("");
  });

  test("Ctrl with a press or Enter opens a session beside the others; a plain press takes the focused pane", async () => {
    await open("view=session:s3");
    await page.locator(".xterm-screen").waitFor();
    await row(/^auth-module/).click({ modifiers: ["Control"] });
    await expect.poll(panes).toEqual(["api-endpoints", "auth-module"]);
    await row(/^unit-tests/).focus();
    await page.keyboard.press("Control+Enter");
    await expect.poll(panes).toEqual(["api-endpoints", "auth-module", "unit-tests"]);
    await inTerminal("unit-tests");
    await row(/^Fix flaky/).click();
    await expect.poll(panes).toEqual(["api-endpoints", "auth-module", "Fix flaky cart test"]);
    // A session that has a pane is not opened twice.
    await row(/^auth-module/).click();
    await inTerminal("auth-module");
    expect(await panes()).toHaveLength(3);
  });

  test("a session is dragged from the sidebar to an edge, and Escape gives up", async () => {
    await open("view=session:s3");
    await page.locator(".xterm-screen").waitFor();
    const from = await row(/^auth-module/).boundingBox();
    const to = await page.locator("[data-pane]").boundingBox();
    if (!from || !to) throw new Error("nothing to drag");
    const drag = async () => {
      await page.mouse.move(from.x + 60, from.y + 10);
      await page.mouse.down();
      await page.mouse.move(to.x + to.width / 2, to.y + 200, { steps: 4 });
      await page.mouse.move(to.x + to.width - 40, to.y + to.height / 2, { steps: 4 });
    };
    await drag();
    await page.keyboard.press("Escape");
    await page.mouse.up();
    expect(await page.locator("[data-pane]").count()).toBe(1);
    await drag();
    await page.mouse.up();
    await expect.poll(panes).toEqual(["api-endpoints", "auth-module"]);
    await inTerminal("auth-module");
    expect(await typed("s3")).toBe("");
  });

  test("a removed session leaves its pane with a way out", async () => {
    await open("view=session:s1&panes=s1,s99");
    await page.getByText("It was removed from the list.").waitFor();
    await page.locator('[data-pane="1"]').getByRole("button", { name: "Close pane" }).click();
    await page.getByRole("heading", { level: 1, name: "Checkout rewrite" }).waitFor();
  });

  const remove = () =>
    page.evaluate(() =>
      window.downbeat.call("removeWorkspace", { id: "s3", force: true, forget: true }),
    );
  const become = (status: "queued" | "running") =>
    page.evaluate((status) => {
      window.engine.edit("s3", { status });
      window.engine.changed("session-status", "s3");
    }, status);
  const screen = () => page.locator('[data-pane="1"] .xterm-screen');

  test.each([
    {
      what: "is removed",
      happen: async () => {
        await remove();
        await page.getByText("It was removed from the list.").waitFor();
      },
    },
    {
      what: "starts",
      happen: async () => {
        await become("queued");
        await screen().waitFor({ state: "detached" });
        await become("running");
        await screen().waitFor();
      },
    },
  ])("a pane whose session $what takes no keys from a field", async ({ happen }) => {
    await open("world=60&view=session:s3&panes=s1,s3");
    await inTerminal("api-endpoints");
    await page.keyboard.press("Alt+Shift+J");
    await inTerminal("Checkout rewrite");
    await page.keyboard.press("Alt+Shift+L");
    await inTerminal("api-endpoints");
    const filter = page.getByRole("textbox", { name: "Filter sessions" });
    await filter.click();
    await page.keyboard.type("auth");
    await happen();
    await page.keyboard.type("-mod");
    expect(await filter.inputValue()).toBe("auth-mod");
  });

  test("a removed session's pane takes the keyboard that its terminal had", async () => {
    await open("view=session:s3&panes=s1,s3");
    await inTerminal("api-endpoints");
    await page.keyboard.press("Alt+Shift+J");
    await page.keyboard.press("Alt+Shift+L");
    await inTerminal("api-endpoints");
    await remove();
    await page.locator('[data-pane="1"] input:focus').waitFor();
  });

  test("the keyboard leaves a terminal again whose session was shown from the sidebar", async () => {
    await open("view=session:s3&panes=s1,s3");
    await inTerminal("api-endpoints");
    await row(/^auth-module/).focus();
    await page.keyboard.press("Space");
    await expect.poll(panes).toEqual(["Checkout rewrite", "auth-module"]);
    expect(await row(/^auth-module/).evaluate((at) => at === document.activeElement)).toBe(true);
    await page.locator('[data-pane="1"] .xterm-screen').click();
    await inTerminal("auth-module");
    await page.keyboard.press("Alt+Shift+J");
    await inTerminal("Checkout rewrite");
    await page.keyboard.type("here");
    expect(await Promise.all(["s1", "s2"].map(typed))).toEqual(["here", ""]);
  });

  test("a step back moves the keyboard with the focus, and takes no session's pane", async () => {
    await open("view=session:s3&panes=s1,s3");
    await inTerminal("api-endpoints");
    await row(/^auth-module/).click();
    await inTerminal("auth-module");
    await page.locator('[data-pane="0"] .xterm-screen').click();
    await inTerminal("Checkout rewrite");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "api-endpoints" }).waitFor();
    await page.goForward();
    await expect.poll(panes).toEqual(["Checkout rewrite", "auth-module"]);
    await inTerminal("Checkout rewrite");
  });

  test.each([
    { way: "the menu key", type: "contextmenu", init: {} },
    { way: "a long press", type: "pointerdown", init: { pointerType: "touch", isPrimary: true } },
  ])("the menu of a pane without the focus opens by $way", async ({ type, init }) => {
    await open("view=session:s1&panes=s1,s3,s4");
    await inTerminal("Checkout rewrite");
    await page.locator('[data-pane="2"] [data-bar]').dispatchEvent(type, init);
    await page.getByRole("menuitem", { name: "Move left" }).click();
    await expect.poll(panes).toEqual(["Checkout rewrite", "unit-tests", "api-endpoints"]);
    await inTerminal("unit-tests");
  });

  test("a narrow window shows one session, and the panes come back with the room", async () => {
    await open("view=session:s1&panes=s1,s2");
    await expect.poll(panes).toHaveLength(2);
    await page.setViewportSize({ width: 800, height: 700 });
    await page.getByRole("heading", { level: 1, name: "Checkout rewrite" }).waitFor();
    await page.setViewportSize({ width: 1280, height: 720 });
    await expect.poll(panes).toHaveLength(2);
  });

  test("only panes on show are streamed to, and each takes the size of its place", async () => {
    await open("view=session:s1&panes=s1,s2/s3,s4");
    await expect
      .poll(() =>
        page.evaluate(() =>
          ["s1", "s2", "s3", "s4"].map((id) => window.terminals.peek(id)?.letterboxed),
        ),
      )
      .toEqual([false, false, false, false]);
    expect(await page.evaluate(() => window.keepers.size)).toBe(4);
    expect(await kept()).toContain('"s4"');
  });
});
