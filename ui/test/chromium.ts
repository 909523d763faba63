// The browser of the tests that need one. Without a Chromium they are left out, except in CI.
import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The program: `CHROMIUM`, else where systems put it; where CI has none, the test says so. */
export const chromiumPath =
  process.env.CHROMIUM ??
  PATHS.find((candidate) => existsSync(candidate)) ??
  (process.env.CI ? PATHS[0] : undefined);

const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  });

/** A browser for the tests of a file, without a window, and in it a fresh page for each test, which
 * `begin` is given. An error in a page fails its test. */
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
