// @vitest-environment node
/// <reference types="node" />
// The frame of the window in a real browser, over the fixture host: the tree, the palette, keys and
// where the keyboard goes. Left out where there is no Chromium, except in CI.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open, row } = withApp((fresh) => (page = fresh));
  const focusedRow = () => page.evaluate(() => document.activeElement?.getAttribute("data-row"));
  const choice = (name: string) => page.getByRole("button", { name, exact: true });

  test("keys move through, open and close the tree, which has one tab stop", async () => {
    await open("");
    await row("storefront").focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focusedRow()).toBe("s1");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => row(/auth-module/).count()).toBe(0);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => focusedRow()).toBe("s2");
    expect(await page.locator('[role="treeitem"][tabindex="0"]').count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "auth-module" }).waitFor();
  });

  test("text is made larger and smaller by keys, in the interface and in terminals", async () => {
    await open("view=settings:appearance");
    const sizes = () =>
      Promise.all(
        ["Interface text size", "Terminal font size"].map((name) =>
          page.getByRole("spinbutton", { name }).inputValue(),
        ),
      );
    const body = () => page.evaluate(() => getComputedStyle(document.body).fontSize);
    await expect.poll(sizes).toEqual(["13", "13"]);
    await page.evaluate(() => window.downbeat.commands.run("largerText"));
    await page.evaluate(() => window.downbeat.commands.run("largerText"));
    await expect.poll(sizes).toEqual(["15", "15"]);
    await expect.poll(body).toBe("15px");
    await page.evaluate(() => window.downbeat.commands.run("usualText"));
    await expect.poll(body).toBe("13px");
    const family = page.getByRole("textbox", { name: "Terminal font" });
    await family.fill("Fira Code");
    await page.keyboard.press("Tab");
    await expect
      .poll(() => page.evaluate(() => window.downbeat.fleet.settings?.terminalFont))
      .toBe("Fira Code");
  });

  test("a setting is found in the palette by its own name", async () => {
    await open("");
    await page.keyboard.press("Control+K");
    await page.getByRole("dialog").getByRole("combobox").fill("budgets");
    await page.getByRole("option", { name: /General/ }).click();
    await page.getByRole("textbox", { name: "Each session: dollars" }).waitFor();
  });

  test("a budget is set, emptied and refused where it is shown", async () => {
    await open("view=settings:general");
    const field = (name: string) => page.getByRole("textbox", { name });
    const budgets = () => page.evaluate(() => window.engine.world.settings.budgets);
    const tokens = field("Each conductor with its workers: tokens");
    await tokens.fill("20M");
    await page.keyboard.press("Tab");
    await expect
      .poll(async () => (await budgets()).subtree)
      .toEqual({ usd: null, tokens: 20_000_000 });
    const dollars = field("Each session: dollars");
    await dollars.fill("a few");
    await page.keyboard.press("Tab");
    await page.getByText("“a few” is not an amount of dollars").waitFor();
    expect(await dollars.inputValue()).toBe("5");
    await dollars.fill("");
    await page.keyboard.press("Tab");
    await expect.poll(async () => (await budgets()).session.usd).toBeNull();
  });

  test("the details become wider and keep their width", async () => {
    await open("view=session:s3");
    const handle = page.getByRole("separator", { name: "Width of the details" });
    const width = () =>
      page.locator('[data-region="details"]').evaluate((aside) => aside.clientWidth);
    const before = await width();
    await handle.focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(width).toBe(before + 32);
    expect(await page.evaluate(() => localStorage.getItem("downbeat.details"))).toBe("332");
  });

  test("keys are recorded by pressing them, and taken from another command only after confirmation", async () => {
    await open("view=settings:keys");
    const keys = (command: string) =>
      page.getByRole("button", { name: new RegExp(`^Shortcut for “${command}”`) });
    await keys("Search or run a command").click();
    // Keys that a field needs are refused; Escape changes nothing.
    await page.keyboard.press("Control+C");
    await page.getByText("Text fields and terminals use that shortcut.").waitFor();
    await page.keyboard.press("Escape");
    expect(await keys("Search or run a command").innerText()).toContain("Ctrl K");

    await keys("Search or run a command").click();
    await page.keyboard.press("Control+P");
    await keys("Search or run a command").getByText("Ctrl P").first().waitFor();
    await page.keyboard.press("Control+K");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("Control+P");
    await page
      .getByRole("dialog")
      .getByRole("option", { name: /Add project/ })
      .waitFor();
    await page.keyboard.press("Escape");

    await keys("Stop session").click();
    await page.keyboard.press("Control+B");
    const conflict = page.getByRole("alert").filter({ hasText: "Show or hide the sidebar" });
    await conflict.getByRole("button", { name: "Use it here" }).click();
    await keys("Stop session").getByText("Ctrl B").waitFor();
    await keys("Show or hide the sidebar").getByText("none").waitFor();

    // Its default keys belong to another command now, so the same question appears.
    await page
      .getByRole("button", { name: "Default shortcut for “Show or hide the sidebar”" })
      .click();
    await page.getByRole("alert").filter({ hasText: "Stop session" }).waitFor();

    await page.getByRole("button", { name: "Reset all" }).click();
    await keys("Search or run a command").getByText("Ctrl K").waitFor();
    await keys("Show or hide the sidebar").getByText("Ctrl B").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await keys("Search or run a command").getByText("Ctrl P").first().waitFor();
  });

  test("the palette finds sessions and commands, also from a terminal", async () => {
    await open("view=session:s3");
    await page.locator(".xterm-screen").click();
    await page.keyboard.press("Control+Shift+K");
    await page.keyboard.type("postgres");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Upgrade to Postgres 18" }).waitFor();
    await page.keyboard.press("Control+Shift+K");
    await page.keyboard.type("theme: light");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.evaluate(() => document.documentElement.dataset.theme))
      .toBe("light");
  });

  test("the palette leads to each page of the settings", async () => {
    await open("");
    await page.keyboard.press("Control+K");
    await page.keyboard.type("notifiers");
    await page.getByRole("option", { name: "Notifiers" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator("[data-page=notifiers][aria-current=page]").waitFor();
  });

  test("a second click on a conductor shows its workers", async () => {
    await open("view=session:s1");
    await row(/^Checkout rewrite/).click();
    await expect.poll(() => page.evaluate(() => window.downbeat.view.tabOf("s1"))).toBe("workers");
    await row(/^Checkout rewrite/).click();
    await expect.poll(() => page.evaluate(() => window.downbeat.view.tabOf("s1"))).toBe("terminal");
  });

  test("Quit is listed if the host can quit, and no other entry matches instead", async () => {
    const type = async (text: string) => {
      await page.keyboard.press("Control+K");
      await page.getByPlaceholder("Find a session, a project or a command…").fill(text);
    };
    await open("desktop");
    await type("quit");
    expect(await page.getByRole("option").first().innerText()).toContain("Quit Downbeat");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Quit Downbeat?" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Q");
    await page.getByRole("dialog", { name: "Quit Downbeat?" }).waitFor();

    await open("");
    // A session whose branch merely contains the letters is not a match.
    await page.evaluate(() => {
      const { fleet } = window.downbeat;
      const like = fleet.session("s4");
      if (like) fleet.adopt({ ...like, id: "q1", title: "Other", branch: "queue/use-it-today" });
    });
    await type("quit");
    await page.getByText("No matches for “quit”").waitFor();
    await page.keyboard.press("Enter");
    await type("use-it");
    await page.getByRole("option", { name: /Other.*queue\/use-it-today/ }).waitFor();
    await page.getByPlaceholder("Find a session, a project or a command…").fill("theme: sys");
    await page.getByRole("option", { name: "Theme: system" }).waitFor();
  });

  test("a number out of bounds is reset with a message", async () => {
    await open("view=settings:general");
    const sessions = page.getByRole("spinbutton", { name: "Max running sessions", exact: true });
    await sessions.fill("0");
    await sessions.press("Tab");
    await page.getByRole("alert").getByText("from 1 to 500. The setting stays at 60").waitFor();
    expect(await sessions.inputValue()).toBe("60");
    await sessions.fill("40");
    await sessions.press("Tab");
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  test("a number that may be left out is cleared, and a wrong one is reset to none", async () => {
    await open("view=settings:general");
    const most = page.getByRole("spinbutton", { name: "Max running sessions per project" });
    await most.fill("0");
    await most.press("Tab");
    await page.getByRole("alert").getByText("The setting stays at none").waitFor();
    expect(await most.inputValue()).toBe("");
    for (const typed of ["12", ""]) {
      await most.fill(typed);
      await most.press("Tab");
      await page.getByRole("alert").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "About" }).click();
      await page.getByRole("button", { name: "General" }).click();
      expect(await most.inputValue()).toBe(typed);
    }
  });

  test("opening the open session again focuses it", async () => {
    await open("view=session:s3");
    const inTerminal = () =>
      page.evaluate(() => document.activeElement?.closest(".xterm") !== null);
    await expect.poll(inTerminal).toBe(true);
    await page.getByRole("button", { name: "More" }).focus();
    expect(await inTerminal()).toBe(false);
    await row(/^api-endpoints/).click();
    await expect.poll(inTerminal).toBe(true);
  });

  test("a card shows the last whole lines; a long line is shown in full in a tooltip", async () => {
    await open("view=session:s1&tab=workers");
    // A question would make the neighbouring cards taller.
    await page.evaluate(() => {
      const change = { status: "running" as const, question: null };
      window.downbeat.fleet.adopt(window.engine.edit("s3", change));
    });
    const last = page.getByRole("group", { name: "Last lines of unit-tests" });
    await last.getByText("Brewed for 2s").waitFor();
    for (const width of [1360, 1000, 400]) {
      await page.setViewportSize({ width, height: 860 });
      const seen = await last.evaluate((box) => {
        const pre = box.querySelector("pre")?.getBoundingClientRect();
        const lines = [...box.querySelectorAll(".line")].map((line) =>
          line.getBoundingClientRect(),
        );
        const shown = lines.filter((line) => pre && line.left < pre.right && line.right > pre.left);
        return {
          cut: shown.filter((line) => pre && (line.top < pre.top || line.bottom > pre.bottom))
            .length,
          wide: shown.filter((line) => pre && line.right > pre.right + 1).length,
          shown: shown.length,
          hidden: lines.length - shown.length,
        };
      });
      expect(seen).toMatchObject({ cut: 0, wide: 0 });
      expect(seen.shown).toBeGreaterThan(1);
      if (width === 1360) expect(seen.hidden).toBeGreaterThan(0);
    }
    const long = last.getByText("Bash(npx vitest");
    await long.scrollIntoViewIfNeeded();
    // Scrolling hides the tooltip; the page is notified a frame later.
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    await long.hover();
    await page.getByRole("tooltip").getByText("--reporter=verbose").waitFor();
  });

  test("a conductor's header keeps its name and its menu at every width", async () => {
    await open("view=session:s1");
    const more = page.getByRole("button", { name: "More" });
    for (const sidebar of [272, 420]) {
      await page.evaluate((width) => window.downbeat.view.resizeSidebar(width), sidebar);
      for (const width of [1360, 1181, 1000, 905, 760, 580, 400]) {
        await page.setViewportSize({ width, height: 760 });
        const inside = async () => {
          const box = await more.boundingBox();
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          const name = await page.getByRole("heading", { level: 1 }).boundingBox();
          return {
            menu: box !== null && box.x + box.width <= width,
            sideways: wide > width,
            name: (name?.width ?? 0) >= 48,
          };
        };
        await expect
          .poll(inside, { message: `${width} with ${sidebar}` })
          .toEqual({ menu: true, sideways: false, name: true });
      }
      await page.setViewportSize({ width: 1360, height: 860 });
    }
  });

  test("the focus is never lost", async () => {
    await open("view=session:s3");
    const at = () =>
      page.evaluate(() => {
        const one = document.activeElement;
        const name = one?.getAttribute("aria-label") ?? one?.textContent ?? "";
        return one?.getAttribute("data-row") ?? (one === document.body ? "nowhere" : name.trim());
      });
    // A row that disappears, removed by a dialog and by itself.
    await page.evaluate(() => window.engine.hideWork("s7"));
    await row(/^Rotate deploy keys/).focus();
    await page.keyboard.press("Delete");
    const dialog = page.getByRole("dialog", { name: /Remove/ });
    await dialog.getByText("Nothing will be lost").waitFor();
    await dialog.getByRole("checkbox", { name: /conversation/ }).check();
    await page.keyboard.press("Control+Enter");
    await row(/^Rotate deploy keys/).waitFor({ state: "detached" });
    await expect.poll(at).toBe("s6");
    await row(/^Fix flaky/).focus();
    await page.evaluate(() => window.downbeat.call("forgetSession", { id: "s5" }));
    await expect.poll(at).toBe("p2");
    // A message removed from the queue passes the focus to the next one.
    await page.evaluate(() => window.downbeat.view.open("s2"));
    const remove = page.getByRole("button", { name: "Delete the message" });
    await remove.first().focus();
    const left = (await remove.count()) - 1;
    await page.keyboard.press("Enter");
    await expect.poll(() => remove.count()).toBe(left);
    await expect.poll(at).toBe("Delete the message");
    // After an answered question, the focus moves to a neighbour, never to another answer.
    await page.evaluate(() => window.downbeat.view.show({ kind: "attention" }));
    await expect.poll(() => choice("Yes").getAttribute("aria-disabled")).toBe("false");
    await choice("Yes").focus();
    await page.keyboard.press("Enter");
    await choice("Yes").waitFor({ state: "detached" });
    await expect.poll(at).not.toBe("nowhere");
    expect(
      await page.evaluate(() => document.activeElement?.closest(".answers, .danger") ?? null),
    ).toBeNull();
  });
});
