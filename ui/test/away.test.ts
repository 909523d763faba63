// @vitest-environment node
// What happened while the person was away, in a real browser: said on the board, led to by a menu, and closed.
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
  /** Opens the board as somebody who left it minutes ago. */
  const open = async (minutes: number) => {
    await page.goto(`${inject("fixturePage")}?view=home&left=${minutes}`);
    await page.getByRole("main").getByText("auth-module").first().waitFor();
    return page.getByRole("region", { name: "What happened while you were away" });
  };

  test("sessions that need the person are counted, and a menu leads to each", async () => {
    const strip = await open(24 * 60);
    await strip.getByText(/^Since /).waitFor();
    await strip.getByRole("button", { name: /need.? you/ }).click();
    await page.getByRole("menuitem", { name: "api-endpoints" }).click();
    await page.getByRole("heading", { name: "api-endpoints" }).waitFor();
  });

  test("it is closed by the person, and somebody who just left sees nothing", async () => {
    const strip = await open(24 * 60);
    await strip.getByRole("button", { name: "Close" }).click();
    await strip.waitFor({ state: "detached" });
    expect(await (await open(1)).count()).toBe(0);
  });
});
