// @vitest-environment node
// What workers report as done, in a real browser: only what checks verified has the sign of something done. And the
// approval of the commands of reactions.
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

  test("a card says whether its worker is verified or only says that it is done", async () => {
    await page.goto(`${inject("fixturePage")}?view=session:s1&tab=workers`);
    const card = (name: string) => page.getByRole("article", { name });
    const verified = card("auth-module").locator(".done");
    expect(await verified.textContent()).toMatch(
      /Verified: 2 checks on 8c1e0d9a; optional and failed: lint\s+·\s+\d+ min ago/,
    );
    const said = card("unit-tests").locator(".done");
    expect(await said.textContent()).toMatch(/Said done: 1 check failed on 8c1e0d9a: npm test/);
    const colour = (line: typeof said) =>
      line.locator(".sign").evaluate((sign) => getComputedStyle(sign).color);
    expect(await colour(verified)).not.toBe(await colour(said));
    expect(await card("api-endpoints").locator(".done").count()).toBe(0);
  });

  test("the details have the report, in the worker's own words", async () => {
    await page.goto(`${inject("fixturePage")}?view=session:s4`);
    const report = page.getByRole("region", { name: "Report" });
    await report.getByText("The totals have tests for each currency.").waitFor();
    expect(await report.textContent()).toContain("Said done: 1 check failed");
  });

  test("the commands of reactions are shown exactly, and approved as a list", async () => {
    await page.goto(`${inject("fixturePage")}?view=settings:projects`);
    const first = page.locator("main section").filter({ hasText: "storefront" }).first();
    const command = first.getByText(
      "agent-idle: sh -c 'make report && ./notify' (at most 5 minutes)",
    );
    await command.waitFor();
    const look = await command.evaluate((shown) => {
      const { fontFamily, fontVariantLigatures, whiteSpace, webkitLineClamp } =
        getComputedStyle(shown);
      const cut = shown.scrollWidth > shown.clientWidth || shown.scrollHeight > shown.clientHeight;
      return { fontFamily, fontVariantLigatures, whiteSpace, webkitLineClamp, cut };
    });
    expect(look.fontFamily).toMatch(/mono/i);
    expect(look).toMatchObject({
      fontVariantLigatures: "none",
      whiteSpace: "pre-wrap",
      webkitLineClamp: "none",
      cut: false,
    });
    await first.getByRole("button", { name: "Approve these commands" }).click();
    await first
      .getByRole("button", { name: "Approve these commands" })
      .waitFor({ state: "detached" });
  });
});
