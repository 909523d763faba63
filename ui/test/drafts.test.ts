// @vitest-environment node
/// <reference types="node" />
// What was written and not sent is there again after a reload, in a real browser.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open } = withApp((fresh) => (page = fresh));
  const stored = () =>
    page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes(".draft.")));

  test("a message stays with its session until it is sent", async () => {
    await open("view=session:s3");
    const field = page.locator("[data-region=composer] textarea");
    await field.fill("Not yet\nsent");
    await open("kept&view=session:s2");
    await page.getByRole("textbox", { name: /^Message to/ }).waitFor();
    expect(await field.inputValue()).toBe("");
    await open("kept&view=session:s3");
    await expect.poll(() => field.inputValue()).toBe("Not yet\nsent");
    await field.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("");
    expect(await stored()).toEqual([]);
  });

  test("the dialogs offer again what was in them, and can begin empty", async () => {
    await open("");
    await page.keyboard.press("Alt+Shift+N");
    const task = page.getByRole("textbox", { name: "Task" });
    const title = page.getByRole("textbox", { name: "Title" });
    await task.fill("Fix the totals");
    await title.fill("Totals");
    await open("kept");
    await page.keyboard.press("Alt+Shift+N");
    await expect.poll(() => task.inputValue()).toBe("Fix the totals");
    expect(await title.inputValue()).toBe("Totals");
    await page.getByRole("button", { name: "Start empty" }).click();
    expect([await task.inputValue(), await title.inputValue()]).toEqual(["", ""]);
    expect(await task.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await stored()).toEqual([]);
  });

  test("the tasks of a plan are there again", async () => {
    const dialog = `dialog=${encodeURIComponent(JSON.stringify({ kind: "newPlan" }))}`;
    await open(dialog);
    const tasks = page.getByRole("textbox", { name: "Tasks" });
    await tasks.fill("Create API, Build UI");
    await open(`kept&${dialog}`);
    await expect.poll(() => tasks.inputValue()).toBe("Create API, Build UI");
  });

  test("comments that were not sent are there again, and so is one that was not finished", async () => {
    const view = "view=session:s3&tab=changes";
    const comment = async (line: string, at: number) => {
      await page.locator('[data-path="src/cart/cart.ts"]').click();
      const code = page.locator(".lines .code", { hasText: line });
      await code.hover();
      await code.getByRole("button").click();
      return page.getByRole("textbox", { name: `Comment on src/cart/cart.ts:${at}` });
    };
    await open(view);
    await (await comment("return totals(", 17)).fill("Which rates?");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("textbox", { name: "Summary for the agent" }).fill("So far");
    await (await comment("total(rates: TaxRates): Cents {", 16)).fill("Half a");
    await open(`kept&${view}`);
    await page.getByText("1 comment").first().waitFor();
    const summary = page.getByRole("textbox", { name: "Summary for the agent" });
    expect(await summary.inputValue()).toBe("So far");
    const half = await comment("total(rates: TaxRates): Cents {", 16);
    await expect.poll(() => half.inputValue()).toBe("Half a");
    await half.press("Escape");
    await page.getByRole("button", { name: "Send comments" }).click();
    await expect.poll(stored).toEqual([]);
  });
});
