// @vitest-environment node
/// <reference types="node" />
// Saved prompts in a real browser, by keys alone: saved, found, inserted, renamed, deleted, and brought back.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open } = withApp((fresh) => (page = fresh));
  const panel = () => page.getByRole("dialog", { name: "Saved prompts" });
  const rows = () => panel().getByRole("button", { name: /^Insert / });
  const names = async () =>
    (await rows().evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""))).map(
      (label) => label.replace("Insert ", ""),
    );
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));

  test("a message is saved, and inserted in another session and a new one", async () => {
    await open("view=session:s2");
    const field = page.locator("[data-region=composer] textarea");
    await field.fill("Rebase onto main\nand run the tests");
    await field.press("Tab");
    await page.keyboard.press("Enter");
    await panel().getByText("No saved prompts").waitFor();
    await panel().getByRole("button", { name: "Save this text…" }).press("Enter");
    await expect.poll(focused).toBe(null);
    await page.keyboard.type("Rebase");
    await page.keyboard.press("Enter");
    await expect.poll(names).toEqual(["Rebase"]);
    await page.keyboard.press("Escape");
    await panel().waitFor({ state: "detached" });
    // Nothing was sent.
    expect(await field.inputValue()).toBe("Rebase onto main\nand run the tests");
    await field.fill("Now");
    await page.getByRole("button", { name: "Saved prompts" }).press("Enter");
    await expect.poll(focused).toBe("Find a prompt");
    await page.keyboard.type("tests main");
    await page.keyboard.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("Now\n\nRebase onto main\nand run the tests");
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Alt+Shift+N");
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByRole("button", { name: "Saved prompts" }).click();
    await rows().first().click();
    const task = dialog.getByRole("textbox", { name: "Task" });
    await expect.poll(() => task.inputValue()).toBe("Rebase onto main\nand run the tests");
    // Escape closed neither list nor dialog by the way.
    await dialog.getByRole("button", { name: "Saved prompts" }).press("Enter");
    await rows().first().waitFor();
    await page.keyboard.press("Escape");
    await panel().waitFor({ state: "detached" });
    expect(await dialog.count()).toBe(1);
  });

  test("a prompt is renamed, deleted, and brought back", async () => {
    await open("prompts&view=session:s2");
    await page.getByRole("button", { name: "Saved prompts" }).press("Enter");
    await expect.poll(focused).toBe("Find a prompt");
    await expect.poll(async () => (await names()).length).toBe(5);
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "F2"]) await page.keyboard.press(key);
    await expect.poll(focused).toBe("New name of Rebase");
    await page.keyboard.type("commit in SMALL steps");
    await page.keyboard.press("Enter");
    await panel().getByText("Another prompt has this name.").waitFor();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("Catch up");
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Insert Catch up");
    expect((await names())[0]).toBe("Catch up");
    await page.keyboard.press("Delete");
    await panel().getByText("Deleted “Catch up”").waitFor();
    await expect.poll(names).not.toContain("Catch up");
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Insert Catch up");
    await page.keyboard.press("F2");
    await page.keyboard.press("Escape");
    // The form closes before the list.
    expect(await rows().count()).toBe(5);
    await panel().getByRole("textbox", { name: "Find a prompt" }).fill("nothing like it");
    await panel().getByText("No matches for “nothing like it”").waitFor();
  });

  test("the palette finds a prompt and inserts it into the message field", async () => {
    await open("prompts&view=session:s2");
    const field = page.locator("[data-region=composer] textarea");
    await field.fill("Now");
    await page.getByRole("treeitem", { name: /auth-module/ }).focus();
    await page.keyboard.press("Control+K");
    const palette = page.getByRole("dialog", { name: "Search or run a command" });
    await palette.getByRole("option").first().waitFor();
    expect(await palette.getByRole("option", { name: /Explain the failure/ }).count()).toBe(0);
    await page.keyboard.type("explain fail");
    await palette.getByRole("option", { name: /Explain the failure first/ }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => field.inputValue()).toMatch(/^Now\n\nBefore you change anything:/);
    await expect
      .poll(() => field.evaluate((element) => element === document.activeElement))
      .toBe(true);
  });

  test("a prompt for which there is no room is refused, and stays in the field", async () => {
    await open("prompts&view=session:s2");
    const field = page.locator("[data-region=composer] textarea");
    await field.fill("x".repeat(17_000));
    await page.getByRole("button", { name: "Saved prompts" }).click();
    await panel().getByRole("button", { name: "Save this text…" }).click();
    await panel().getByRole("button", { name: "Save", exact: true }).click();
    await panel().getByRole("alert").getByText("There is no more room").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(async () => (await names()).length).toBe(5);
    expect(await field.inputValue()).toHaveLength(17_000);
  });
});
