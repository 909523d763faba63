// @vitest-environment node
/// <reference types="node" />
// Parts of the changes of a session in a real browser: what is sought in a file, which changes are shown, and lines that are
// commented on by keys alone.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { focused, tabTo } from "./keys";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open } = withApp((fresh) => (page = fresh));

  const lines = () => page.getByRole("region", { name: "src/cart/cart.ts" });
  const search = () => page.getByRole("search").getByRole("searchbox");
  const found = () => page.getByRole("search").getByRole("status").innerText();
  const marked = () => page.locator(".line.marked").innerText();
  const paths = () =>
    page
      .locator(".tree [data-path]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("data-path")));
  const show = async () => {
    await open("view=session:s3&tab=changes");
    await page.locator('[data-path="src/cart/cart.ts"]').click();
    await lines().waitFor();
  };
  /** Chooses what is shown by keys alone. */
  const scope = async (name: RegExp) => {
    await page.getByRole("combobox", { name: /^Show: / }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name }).waitFor();
    const options = await page.getByRole("option").allInnerTexts();
    const steps = options.findIndex((one) => name.test(one));
    await page.keyboard.press("Home");
    for (let at = 0; at < steps; at += 1) await page.keyboard.press("ArrowDown");
    await expect
      .poll(() => page.locator("[role=option][data-highlighted]").innerText())
      .toMatch(name);
    await page.keyboard.press("Enter");
    await page.getByRole("listbox").waitFor({ state: "detached" });
  };

  test("what is sought in a file is counted and marked, in both directions, and the focus returns", async () => {
    await show();
    await page.keyboard.press("/");
    await page.keyboard.type("TOTAL");
    await expect.poll(found).toBe("1 of 6");
    expect(await marked()).toContain("total(): number");
    await page.keyboard.press("Enter");
    await expect.poll(found).toBe("2 of 6");
    expect(await marked()).toContain("let total = 0");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.press("Shift+Enter");
    await expect.poll(found).toBe("6 of 6");
    await page.keyboard.type(" of nothing");
    await expect.poll(found).toBe("No matches");
    await page.keyboard.press("Escape");
    await page.getByRole("search").waitFor({ state: "detached" });
    expect(await focused(page)).toMatchObject({ name: "src/cart/cart.ts", isMarked: true });
  });

  test("the key leads to the search again, which goes on in another file and not in one without lines", async () => {
    await show();
    await page.keyboard.press("/");
    await page.keyboard.type("total");
    await page.keyboard.press("Shift+Enter");
    await expect.poll(found).toBe("6 of 6");
    await page.locator('[data-path="src/cart/totals.ts"]').click();
    await expect.poll(found).toBe("1 of 2");
    await expect.poll(marked).toContain("Totals of a cart");
    await page.keyboard.press("/");
    expect(await focused(page)).toMatchObject({ name: "Find in this file" });
    await page.keyboard.type("cents");
    expect(await search().inputValue()).toBe("cents");
    await page.keyboard.press("Escape");
    await page.locator('[data-path="archive.bin"]').click();
    await page.getByText("Binary file").waitFor();
    await page.keyboard.press("/");
    await page.locator('[data-path="src/cart/cart.ts"]').click();
    await lines().waitFor();
    expect(await page.getByRole("search").count()).toBe(0);
  });

  test("white space is ignored on request, and counts again", async () => {
    await show();
    const all = await paths();
    expect(all).toContain("src/mails/receipt.ts");
    await tabTo(page, "Ignore white space");
    await page.keyboard.press("Space");
    await expect.poll(paths).toEqual(all.filter((path) => path !== "src/mails/receipt.ts"));
    await lines().waitFor();
    await page.getByText("0 of 9 files viewed").waitFor();
    expect(await focused(page)).toMatchObject({ isMarked: true });
    await page.keyboard.press("Space");
    await expect.poll(paths).toEqual(all);
  });

  test("the changes of a commit, since a turn and of the last one are chosen by keys", async () => {
    await show();
    const all = await paths();
    await scope(/cart: totals come from one function/);
    await expect.poll(paths).toHaveLength(3);
    // The file that was shown still is.
    await lines().waitFor();
    await scope(/^Since turn 1/);
    await expect.poll(paths).toEqual(["test/totals.test.ts"]);
    await page.getByRole("region", { name: "test/totals.test.ts" }).waitFor();
    await scope(/^Last turn/);
    await page.getByRole("heading", { name: "Nothing in this selection" }).waitFor();
    expect(await focused(page)).toMatchObject({ name: "Show: Last turn", isMarked: true });
    await scope(/^All changes/);
    await expect.poll(paths).toEqual(all);
  });

  test("arrows mark lines, which are commented on and sent by keys alone", async () => {
    await show();
    await tabTo(page, "src/cart/cart.ts");
    await page.keyboard.press("ArrowDown");
    await expect.poll(marked).toContain("export class Cart");
    await page.keyboard.press("ArrowUp");
    await expect.poll(marked).toContain("export class Cart");
    for (let at = 0; at < 4; at += 1) await page.keyboard.press("ArrowDown");
    await expect.poll(marked).toContain("total(): number");
    await page.keyboard.press("c");
    const field = page.getByRole("textbox", { name: "Comment on src/cart/cart.ts:16" });
    await expect.poll(() => focused(page)).toMatchObject({ role: "textarea", isMarked: true });
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    expect(await focused(page)).toMatchObject({ name: "src/cart/cart.ts", isMarked: true });
    await page.keyboard.press("c");
    await field.waitFor();
    await page.keyboard.type("Who calls this?");
    await page.keyboard.press("Control+Enter");
    await field.waitFor({ state: "detached" });
    expect(await focused(page)).toMatchObject({ name: "src/cart/cart.ts" });
    await tabTo(page, "Send comments");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Send comments" }).waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toMatchObject({ isMarked: true });
    const sent = await page.evaluate(() => window.downbeat.call("listMessages", { id: "s3" }));
    expect(sent.at(-1)?.text).toContain(
      "src/cart/cart.ts:16 (removed line)\n> -  total(): number {\nWho calls this?",
    );
  });
});
