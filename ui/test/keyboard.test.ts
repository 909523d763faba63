// @vitest-environment node
/// <reference types="node" />
// Where keys go, in a real browser: typing never reaches an agent that was not meant, and every
// control is reached without a pointer.
import type { Page } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { chromiumPath, withPages } from "./chromium";

const LONG = 60_000;

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;

  const row = (name: string | RegExp) => page.getByRole("treeitem", { name });
  const heading = (name: string) => page.getByRole("heading", { level: 1, name });
  const open = async (query: string) => {
    await page.goto(`${inject("fixturePage")}?${query}`);
    await page.getByRole("treeitem").first().waitFor();
  };
  /** Returns the region of the window that has the focus. */
  const region = () =>
    page.evaluate(
      () => document.activeElement?.closest<HTMLElement>("[data-region]")?.dataset.region,
    );
  const typed = (id: string) => page.evaluate((id) => window.keepers.get(id)?.typed ?? "", id);
  const inTerminal = async () => {
    await page.locator(".xterm-screen").waitFor();
    await page.locator(".xterm-helper-textarea").focus();
  };

  withPages(
    (fresh) => {
      page = fresh;
      page.setDefaultTimeout(20_000);
    },
    {},
    LONG,
  );

  test("a sentence typed in the sidebar opens nothing and reaches no agent", async () => {
    await open("view=session:s3");
    await inTerminal();
    await row(/^storefront/).focus();
    await page.keyboard.type("try with two agents\nand more");
    await heading("api-endpoints").waitFor();
    expect(await region()).toBe("sidebar");
    expect(await typed("s3")).toBe("");
  });

  test("Space shows a session and stays in the sidebar, Enter moves to it", async () => {
    await open("view=session:s3");
    await inTerminal();
    await row(/^auth-module/).focus();
    await page.keyboard.press(" ");
    await heading("auth-module").waitFor();
    await page.locator(".xterm-screen").waitFor();
    expect(await region()).toBe("sidebar");
    await page.keyboard.press("Enter");
    await expect.poll(region).toBe("terminal");
  });

  test("the chord of a disabled command reaches no agent; both chords work outside a terminal", async () => {
    await open("view=session:s2");
    await inTerminal();
    await page.keyboard.press("Control+Shift+R");
    await page.keyboard.press("Alt+Shift+A");
    await page.keyboard.type("x");
    await expect.poll(() => typed("s2")).toBe("x");
    await row(/^auth-module/).focus();
    await page.keyboard.press("Control+Shift+K");
    await page.getByPlaceholder("Find a session, a project or a command…").waitFor();
  });

  test("the keyboard reaches every part of the window from a terminal, and returns", async () => {
    await open("view=session:s3");
    await inTerminal();
    const seen = new Set<string | undefined>();
    for (let at = 0; at < 6; at += 1) {
      await page.keyboard.press("Control+F6");
      seen.add(await region());
    }
    expect(seen).toEqual(
      new Set(["sidebar", "header", "terminal", "composer", "details", "question"]),
    );
    expect(await region()).toBe("terminal");
    await page.keyboard.press("Alt+Shift+M");
    expect(await region()).toBe("composer");
    await page.keyboard.press("Shift+F6");
    expect(await region()).toBe("terminal");
    expect(await typed("s3")).toBe("");
  });

  test("a chord and a number answer the question from a terminal", async () => {
    await open("view=session:s3");
    await inTerminal();
    await expect
      .poll(() => page.locator("[data-answer='1']").getAttribute("aria-disabled"))
      .toBe("false");
    await page.keyboard.press("Alt+Shift+A");
    expect(await region()).toBe("question");
    await page.keyboard.press("3");
    await expect.poll(() => page.evaluate(() => window.engine.answers)).toEqual(["s3: No"]);
  });

  test("the open session is visible in the sidebar", async () => {
    await open("world=60");
    const last = await page.evaluate(() => window.downbeat.fleet.order.at(-1) ?? "");
    await page.evaluate((id) => window.downbeat.view.open(id), last);
    const inSight = () =>
      page.evaluate((id) => {
        const box = document.querySelector(`[data-row="${id}"]`)?.getBoundingClientRect();
        const tree = document.querySelector('[role="tree"]')?.getBoundingClientRect();
        return !!box && !!tree && box.top >= tree.top - 1 && box.bottom <= tree.bottom + 1;
      }, last);
    await expect.poll(inSight).toBe(true);
    // Also if its project is collapsed.
    await page.evaluate(() => {
      const { fleet, view } = window.downbeat;
      view.show({ kind: "home" });
      for (const project of fleet.projects) view.toggleCollapsed(project.id, true);
    });
    await expect.poll(inSight).toBe(false);
    await page.evaluate((id) => window.downbeat.view.open(id), last);
    await expect.poll(inSight).toBe(true);
  });

  test("Enter alone does not confirm a dialog that ends something", async () => {
    await open("view=session:s3");
    await row(/^api-endpoints/).focus();
    await page.keyboard.press("Delete");
    const dialog = page.getByRole("dialog", { name: /Kill worker/ });
    await dialog.waitFor();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await row(/^api-endpoints, Waiting for you/).waitFor();
  });

  test("a resolved error disappears, and toasts cover no control", async () => {
    await open("view=session:s3");
    await page.evaluate(() => {
      const { toasts } = window.downbeat;
      toasts.fail("The message was not sent", { code: "unavailable", message: "no answer" });
      toasts.fail("Not copied", { code: "failed", message: "no clipboard" });
    });
    const alerts = page.getByRole("alert");
    await expect.poll(() => alerts.count()).toBe(2);
    const side = await page.locator("[data-region=sidebar]").boundingBox();
    for (const alert of await alerts.all()) {
      const box = await alert.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((side?.width ?? 0) + 1);
    }
    await page.evaluate(() => {
      window.downbeat.fleet.connection = "lost";
    });
    await page.evaluate(() => {
      window.downbeat.fleet.connection = "open";
    });
    await expect.poll(() => alerts.count()).toBe(1);
    await page.evaluate(() => window.downbeat.attempt("Not copied", () => Promise.resolve()));
    await expect.poll(() => alerts.count()).toBe(0);
  });
});
