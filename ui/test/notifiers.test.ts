// @vitest-environment node
// The notifiers in the settings, in a real browser: what each gets, and its test.
import type { Page } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { chromiumPath, withPages } from "./chromium";

const LONG = 60_000;

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  withPages(
    (fresh) => {
      page = fresh;
      page.setDefaultTimeout(20_000);
    },
    {},
    LONG,
  );

  test("a notifier is tested by its button, and the result is said in words", async () => {
    await page.goto(`${inject("fixturePage")}?view=settings:notifiers`);
    const row = (name: string) => page.locator("main li").filter({ hasText: name });
    await row("hooks.slack.com/…").waitFor();
    expect(await row("ntfy.sh").textContent()).toMatch(/Gets urgent\s*·\s*delivered/);
    await page.getByRole("button", { name: "Test slack" }).click();
    await row("hooks.slack.com").getByText("Test: delivered").waitFor();
    await page.getByRole("button", { name: "Test hook" }).click();
    await row("builds.example.com").getByText("Test: not delivered: it answered 404").waitFor();
  });
});
