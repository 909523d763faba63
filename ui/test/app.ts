// The whole interface over the fixture host, as tests in a browser open it.
import type { Page } from "playwright-core";
import { inject } from "vitest";
import { withPages } from "./chromium";

/** How long one test may take on a machine that builds something else meanwhile. */
export const LONG = 90_000;

/** What is fetched right after the first paint (`loadSoon`). */
const PARTS = ["OpenDialog", "SessionView", "SettingsView", "CostView", "CompareView"];

/** A fresh page for each test of a file, which `begin` is given, and the ways about it. */
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
    /** Opens the fixture page with a query, and waits until all of it is there. */
    open: async (query: string) => {
      await page.goto(`${inject("fixturePage")}?${query}`);
      await page.getByRole("treeitem").first().waitFor();
      // Not "networkidle": on a busy machine that may never be told.
      await page.waitForFunction((parts) => {
        const here = performance.getEntriesByType("resource").map(({ name }) => name);
        return parts.every((part) => here.some((name) => name.includes(`/${part}-`)));
      }, PARTS);
    },
  };
}
