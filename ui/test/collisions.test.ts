// @vitest-environment node
/// <reference types="node" />
// Sessions whose worktrees change the same files, in a real browser: what cards say, the lines above the changes, and the way to
// the other session by keys alone.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { focused, tabTo } from "./keys";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open } = withApp((fresh) => (page = fresh));

  const list = () => page.getByRole("list", { name: "Sessions that change the same files" });
  const lines = () => list().getByRole("listitem");
  const show = async (query: string) => {
    await open(`${query}&tab=changes`);
    await page.locator("[data-path]").first().waitFor();
  };
  /** Lets a session change the same file as others. */
  const clash = (id: string, others: string[]) =>
    page.evaluate(
      ([id, others]) => {
        const collisions = others.map((session) => ({
          session,
          files: ["a.ts", "b.ts", "c.ts", "d.ts"].map((path) => ({
            path,
            samePlace: false,
            conflicts: false,
          })),
          fileCount: 9,
          samePlace: false,
          conflicts: false,
          at: new Date().toISOString(),
        }));
        window.downbeat.fleet.adopt(window.engine.edit(id, { collisions }));
      },
      [id, others] as const,
    );

  test("a card names the worst collision of its session, and none where there is none", async () => {
    await open("world=clash");
    const card = (id: string) => page.locator(`[data-card=${id}]`);
    await card("s2").getByText("Conflicts with api-endpoints").waitFor();
    await card("s4").getByText("Same lines as api-endpoints").waitFor();
    await card("s1").getByText("Same files as api-endpoints").waitFor();
    // One that asks shows what it asks.
    expect(await page.locator("[data-card] .clash").count()).toBe(3);
  });

  test("above the changes, the worst comes first, each with its files and what a merge would do", async () => {
    await show("world=clash&view=session:s3");
    expect(await lines().allInnerTexts()).toEqual([
      "auth-module also changes src/cart/cart.ts and src/cart/totals.ts. Merging both would conflict.",
      "unit-tests also changes src/cart/totals.ts, partly the same lines. Both still merge.",
      "Checkout rewrite also changes src/mails/receipt.ts.",
    ]);
  });

  test("by keys alone, a line leads to the changes of the other session, and the way back returns", async () => {
    await show("world=clash&view=session:s3");
    expect(await tabTo(page, "unit-tests")).toMatchObject({ isMarked: true });
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Changes of unit-tests" }).waitFor();
    await list().waitFor();
    expect(await lines().allInnerTexts()).toEqual([
      "api-endpoints also changes src/cart/totals.ts, partly the same lines. Both still merge.",
    ]);
    await page.goBack();
    await page.getByRole("region", { name: "Changes of api-endpoints" }).waitFor();
    await expect.poll(() => lines().count()).toBe(3);
  });

  test("a collision that is over disappears, and gives the focus to what is next", async () => {
    await show("world=clash&view=session:s3");
    await tabTo(page, "auth-module");
    await clash("s3", ["s1"]);
    await expect.poll(() => lines().count()).toBe(1);
    await expect.poll(() => focused(page)).toMatchObject({ name: "Checkout rewrite" });
    await clash("s3", []);
    await list().waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toMatchObject({ isMarked: true });
  });

  test("among 60 sessions, three are named, the others counted, and one that left is no link", async () => {
    await show("world=60&view=session:s3");
    expect(await list().count()).toBe(0);
    await clash("s3", ["gone", "m1", "m2", "m3", "m5"]);
    await expect.poll(() => lines().count()).toBe(4);
    const all = await lines().allInnerTexts();
    expect(all[0]).toBe(
      "A session that is not listed also changes a.ts, b.ts, c.ts and 6 more files.",
    );
    expect(all[3]).toBe("2 more sessions change the same files.");
    expect(await list().getByRole("button").count()).toBe(2);
  });
});
