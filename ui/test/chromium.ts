// The browser of the tests that need one. Without a Chromium they are left out, except in CI.
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The program: `CHROMIUM`, else where systems put it; where CI has none, the test says so. */
export const chromiumPath =
  process.env.CHROMIUM ??
  PATHS.find((candidate) => existsSync(candidate)) ??
  (process.env.CI ? PATHS[0] : undefined);

/** Starts it without a window. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  });
