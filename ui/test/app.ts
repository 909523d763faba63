// The whole interface over the fixture host, as browser tests open it.
import type { Page } from "playwright-core";
import { inject } from "vitest";
import { withPages } from "./chromium";

/** The time limit of one test, on a machine that may be building something else. */
export const LONG = 90_000;

/** The parts that are fetched right after the first paint (`loadSoon`). */
const PARTS = ["OpenDialog", "SessionView", "SettingsView", "CostView", "CompareView"];

/**
 * Provides a fresh page for each test of a file, passed to `begin`, and functions to navigate it.
 */
export function withApp(begin: (page: Page) => void) {
  let page: Page;
  withPages(
    (fresh) => {
      page = fresh;
      page.setDefaultTimeout(20_000);
      begin(fresh);
    },
    {},
    LONG,
  );
  return {
    row: (name: string | RegExp) => page.getByRole("treeitem", { name }),
    /** Lets no time pass in the pages that are opened from here on: no relative time is redrawn. */
    stopClock: () =>
      page.addInitScript(() => {
        const now = Date.now();
        Date.now = () => now;
      }),
    /** Waits until a part of the page has not been redrawn for half a second: what followed the first paint is there. */
    isStill: (part: string) =>
      page.locator(part).evaluate(
        (element) =>
          new Promise<void>((done) => {
            const end = () => {
              observer.disconnect();
              done();
            };
            let timer = setTimeout(end, 500);
            const observer = new MutationObserver(() => {
              clearTimeout(timer);
              timer = setTimeout(end, 500);
            });
            const what = { subtree: true, childList: true, attributes: true, characterData: true };
            observer.observe(element, what);
          }),
      ),
    /** Opens the fixture page with a query, and waits until it is complete. */
    open: async (query: string) => {
      await page.goto(`${inject("fixturePage")}?${query}`);
      await page.getByRole("treeitem").first().waitFor();
      // Not "networkidle": a busy machine may never reach that state.
      await page.waitForFunction((parts) => {
        const here = performance.getEntriesByType("resource").map(({ name }) => name);
        return parts.every((part) => here.some((name) => name.includes(`/${part}-`)));
      }, PARTS);
    },
  };
}
