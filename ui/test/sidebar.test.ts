// @vitest-environment node
/// <reference types="node" />
// The sidebar with sixty sessions, in a real browser: found by words and state, folded, pinned, chosen together.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { LONG, withApp } from "./app";
import { chromiumPath } from "./chromium";

describe.skipIf(chromiumPath === undefined)("sixty sessions", { timeout: LONG }, () => {
  let page: Page;
  const { row, open } = withApp((fresh) => (page = fresh));
  const filter = () => page.getByRole("textbox", { name: "Filter sessions" });
  const rows = () => page.locator("[data-row].row-session").count();
  const choose = async (name: string) => {
    await page.getByRole("button", { name: "Order and state" }).click();
    await page.getByRole("menuitem", { name }).click();
  };

  test("are found by words and state, and all are back with Escape", async () => {
    await open("world=60&view=session:s3");
    const all = await rows();
    await filter().fill("rate limits");
    await expect.poll(rows).toBeLessThan(all);
    expect(await row(/^Rate limits per tenant 1/).count()).toBe(1);
    await page.keyboard.press("Escape");
    await expect.poll(rows).toBe(all);
    await choose("Need you");
    await expect.poll(rows).toBeLessThan(all);
    await filter().fill("no session is called like this");
    await page.getByText("No session matches").waitFor();
    await page.getByRole("button", { name: "Show all sessions" }).click();
    await expect.poll(rows).toBe(all);
  });

  test("fold those that ended, and the keys unfold them", async () => {
    await open("world=60&view=session:s3");
    const before = await rows();
    const ended = row(/^5 ended$/).first();
    await ended.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(rows).toBe(before + 5);
    await page.keyboard.press("ArrowLeft");
    await expect.poll(rows).toBe(before);
  });

  test("keep their order and pins over a reload of the state", async () => {
    await open("world=60&view=session:s3");
    await choose("By name");
    await row(/^Flaky upload test 3/).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Pin to the top of its project" }).click();
    await expect
      .poll(() => page.locator("[data-row].row-session").first().getAttribute("aria-label"))
      .toMatch(/^Flaky upload test 3/);
    expect(await page.evaluate(() => localStorage.getItem("downbeat.tree"))).toMatch(
      /"sort":"name","pinned":\["m\d+"\]/,
    );
  });

  test("are chosen with Shift and stopped after one question that names them", async () => {
    await open("view=session:s3");
    await page.locator(".xterm-screen").waitFor();
    await row(/^auth-module/).focus();
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    expect(await page.locator(".row-session.chosen").count()).toBe(3);
    await row(/^api-endpoints/).click({ button: "right" });
    await page.getByRole("menuitem", { name: /^Stop 3/ }).click();
    const dialog = page.getByRole("dialog", { name: "Stop 3 sessions" });
    await dialog.waitFor();
    for (const name of ["auth-module", "api-endpoints", "unit-tests"])
      await dialog.getByText(name, { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Stop 3" }).click();
    await page.getByText("3 sessions were stopped").waitFor();
    await expect.poll(() => page.locator(".row-session.chosen").count()).toBe(0);
  });

  test("are chosen with Shift and a press; a plain press and Escape choose none", async () => {
    await open("view=session:s3");
    await row(/^api-endpoints/).click();
    await row(/^Fix flaky/).click({ modifiers: ["Shift"] });
    expect(await page.locator(".row-session.chosen").count()).toBe(3);
    await page.keyboard.press("Escape");
    expect(await page.locator(".row-session.chosen").count()).toBe(0);
  });

  test("that finished unseen are marked until they are looked at", async () => {
    await open("view=session:s3");
    await row(/^unit-tests, .*not looked at yet/).click();
    await expect.poll(() => row(/^unit-tests, .*not looked at yet/).count()).toBe(0);
  });

  test("an earlier message is back with the up arrow, and a draft is never replaced", async () => {
    await open("view=session:s2");
    const field = page.locator('[data-region="composer"] textarea');
    // The terminal takes the focus once it is drawn.
    await page.locator(".xterm-helper-textarea:focus").waitFor();
    await field.focus();
    await page.keyboard.type("the first message");
    await page.keyboard.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("");
    await page.locator('[data-region="composer"] li', { hasText: "the first message" }).waitFor();
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => field.inputValue()).toBe("the first message");
    await page.keyboard.type(" again");
    await page.keyboard.press("ArrowUp");
    expect(await field.inputValue()).toBe("the first message again");
  });
});
