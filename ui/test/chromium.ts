// The browser for tests that need one. Without a Chromium they are skipped, except in CI.
import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The program: `CHROMIUM`, else its usual paths; in CI a missing one fails the test. */
export const chromiumPath =
  process.env.CHROMIUM ??
  PATHS.find((candidate) => existsSync(candidate)) ??
  (process.env.CI ? PATHS[0] : undefined);

const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  });

/** Provides a headless browser for the tests of a file, and a fresh page for each test, passed to
 * `begin`. An error in a page fails its test. */
export function withPages(
  begin: (page: Page) => Promise<void> | void,
  options: BrowserContextOptions,
  long: number,
) {
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];

  beforeAll(async () => {
    browser = await launch();
  }, long);

  afterAll(async () => {
    await browser.close();
  });

  beforeEach(async () => {
    errors.length = 0;
    const context = await browser.newContext({
      viewport: { width: 1360, height: 860 },
      ...options,
    });
    page = await context.newPage();
    page.on("pageerror", (error) => errors.push(error.message));
    await begin(page);
  }, long);

  afterEach(async () => {
    await page.context().close();
    expect(errors).toEqual([]);
  });
}
