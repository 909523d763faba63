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

const VIEWPORT = { width: 1360, height: 860 };

const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  });

/** Forgets what a test left in a page: its document, what it stored, its size, theme and pointer. */
async function clear(page: Page, viewport: { width: number; height: number }) {
  const { origin } = new URL(page.url());
  await page.goto("about:blank");
  if (origin !== "null") {
    const session = await page.context().newCDPSession(page);
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
    await session.detach();
  }
  await page.mouse.move(-10, -10);
  await page.setViewportSize(viewport);
  await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null });
}

/** Calls `then` when a test makes lasting changes to a page, which cannot be cleared. */
function onLastingChange(page: Page, then: () => void) {
  for (const name of ["addInitScript", "route"] as const) {
    const original = page[name].bind(page) as (...given: unknown[]) => never;
    page[name] = (...given: unknown[]) => {
      then();
      return original(...given);
    };
  }
}

/**
 * Provides a headless browser for the tests of a file, and a clear page for each test, passed to `begin`. An
 * error in a page fails its test. A page is used again, since a new one takes two seconds to compile the
 * interface.
 */
export function withPages(
  begin: (page: Page) => Promise<void> | void,
  options: BrowserContextOptions,
  long: number,
) {
  let browser: Browser;
  let page: Page | undefined;
  const errors: string[] = [];
  const given = { viewport: VIEWPORT, ...options };

  const newPage = async () => {
    const fresh = await (await browser.newContext(given)).newPage();
    fresh.on("pageerror", (error) => errors.push(error.message));
    onLastingChange(fresh, () => (page = undefined));
    return fresh;
  };

  beforeAll(async () => {
    browser = await launch();
  }, long);

  afterAll(async () => {
    await browser.close();
  });

  beforeEach(async () => {
    if (page === undefined) page = await newPage();
    else await clear(page, given.viewport ?? VIEWPORT);
    errors.length = 0;
    await begin(page);
  }, long);

  afterEach(async ({ task }) => {
    // The page of a test that failed may be stuck.
    if (task.result?.state === "fail") page = undefined;
    const others = browser.contexts().filter((context) => context !== page?.context());
    for (const context of others) await context.close();
    expect(errors).toEqual([]);
  });
}
