// @vitest-environment node
/// <reference types="node" />
// The dialog of a new session in a real browser, and the trust in the project it runs in.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open, row } = withApp((fresh) => (page = fresh));

  test("a new session is created by keys alone, after its set-up was approved", async () => {
    await open("view=session:s6");
    await page.keyboard.press("Alt+Shift+N");
    const dialog = page.getByRole("dialog", { name: "New session" });
    await page.keyboard.type('Fix "quotes" & <b>tags</b>');
    await dialog.getByText("feature/fix-quotes-b-tags-b").first().waitFor();
    expect(await dialog.getByRole("button", { name: /Create session/ }).isDisabled()).toBe(true);
    await dialog.getByRole("checkbox").check();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { level: 1, name: 'Fix "quotes" & <b>tags</b>' }).waitFor();
    await dialog.waitFor({ state: "detached" });
  });

  test("the base is found by typing", async () => {
    await open("dialog=%7B%22kind%22%3A%22newSession%22%7D");
    const base = page.getByRole("combobox", { name: "Base" });
    await base.click();
    await page.getByRole("option", { name: /feature\/checkout-rewrite/ }).waitFor();
    await base.fill("release");
    await expect.poll(() => page.getByRole("option").count()).toBe(1);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByText("origin/release/2026-11 at 4e1f09a").waitFor();
    await expect.poll(() => base.inputValue()).toBe("origin/release/2026-11");
  });

  test("text that the dialog kept can be continued or typed over", async () => {
    await open("");
    await page.keyboard.press("Alt+Shift+N");
    const task = page.getByRole("textbox", { name: "Task" });
    await task.fill("Éclair 日本語\nmore");
    await expect
      .poll(() => page.getByRole("textbox", { name: "Title" }).getAttribute("placeholder"))
      .toBe("Éclair 日本語");
    await page.keyboard.press("Escape");
    await task.waitFor({ state: "detached" });
    await page.keyboard.press("Alt+Shift+N");
    await expect.poll(() => task.inputValue()).toBe("Éclair 日本語\nmore");
    await page.keyboard.type("Cart");
    expect(await task.inputValue()).toBe("Cart");
  });

  test("trust is asked for, reported and shown", async () => {
    await open("");
    await row("infra").hover();
    const tip = page.getByRole("tooltip");
    await tip.getByText("Agents ask before they start").waitFor();
    expect(await tip.innerText()).toMatch(/^\/home\/ada\/code\/infra\nAgents ask/);
    // The tooltip is beside the list, so that it does not cover the next row.
    const [list, told] = [await row("infra").boundingBox(), await tip.boundingBox()];
    expect(told?.x).toBeGreaterThan((list?.x ?? 0) + (list?.width ?? 0));
    await row("infra").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Trust agents here…" }).click();
    const dialog = page.getByRole("dialog", { name: "Trust infra?" });
    await dialog.getByText("/home/ada/code/infra").waitFor();
    await dialog.getByRole("button", { name: "Yes, trust it" }).click();
    await page.getByText("infra is trusted").waitFor();
    await row("infra").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Ask before agents start" }).click();
    await page.getByText("Agents in infra ask before they start").waitFor();
  });
});
