// @vitest-environment node
/// <reference types="node" />
// The xterm that is ready before a session needs it, in a real browser: that one is taken, the next one made, and that
// nothing in the page finds it while it waits.
import type { Page } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { chromiumPath, withPages } from "./chromium";

const LONG = 60_000;

declare global {
  interface Window {
    stages: number;
  }
}

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;

  withPages(
    async (fresh) => {
      page = fresh;
      await page.addInitScript(() => {
        window.stages = 0;
        new MutationObserver((changes) => {
          for (const { removedNodes } of changes) {
            for (const node of removedNodes)
              if (node instanceof Element && node.className === "terminal-stage")
                window.stages += 1;
          }
        }).observe(document, { childList: true, subtree: true });
      });
      await page.goto(`${inject("fixturePage")}?view=board`);
    },
    {},
    LONG,
  );

  /** Waits until this many were made. */
  const made = (count: number) =>
    page.waitForFunction((count) => window.stages === count, count, { timeout: LONG });
  const show = (id: string) => page.evaluate((id) => window.downbeat.view.open(id), id);
  const terminal = (id: string) =>
    page.waitForFunction((id) => {
      const term = window.terminals.peek(id)?.screen.term;
      return term?.element?.isConnected === true && term.buffer.active.length > 1;
    }, id);

  test("a session takes the one that is ready, and the next one is made", async () => {
    await made(1);
    expect(await page.locator(".xterm").count()).toBe(0);
    await show("s2");
    await terminal("s2");
    await made(2);
    await show("s3");
    await terminal("s3");
    await made(3);
    expect(await page.locator(".xterm").count()).toBe(1);
    // Nothing is left of what was drawn to measure it.
    const text = await page.locator(".xterm-rows").textContent();
    expect(text).not.toContain("!\"#$%&'()*+");
  });

  test("the one that is ready has the theme and the font of now", async () => {
    await made(1);
    await page.evaluate(() => window.downbeat.theme.choose("light"));
    await made(2);
    await show("s2");
    await terminal("s2");
    const background = await page.evaluate(
      () => window.terminals.peek("s2")?.screen.term.options.theme?.background,
    );
    expect(background).toBe("#ffffff");
  });
});
