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

  const names = async (level: number) =>
    page
      .locator(`.row-session[aria-level="${level}"]`)
      .evaluateAll((rows) => rows.map((row) => row.getAttribute("data-row")));

  test("are put in an order of one's own, by keys and by pointer", async () => {
    await open("view=session:s3");
    await expect.poll(() => names(3)).toEqual(["s2", "s3", "s4"]);
    await row(/^auth-module/).focus();
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(() => names(3)).toEqual(["s3", "s2", "s4"]);
    await page.getByText("auth-module: 2 of 3").waitFor({ state: "attached" });
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-row"))).toBe("s2");

    const from = await row(/^unit-tests/).boundingBox();
    const to = await row(/^api-endpoints/).boundingBox();
    if (!from || !to) throw new Error("the rows are not on the page");
    await page.mouse.move(from.x + 60, from.y + 15);
    await page.mouse.down();
    await page.mouse.move(to.x + 60, to.y + 20, { steps: 4 });
    await page.mouse.move(to.x + 60, to.y + 4, { steps: 2 });
    await page.mouse.up();
    await expect.poll(() => names(3)).toEqual(["s4", "s3", "s2"]);
    await page.getByRole("heading", { level: 1, name: "api-endpoints" }).waitFor();
  });

  test("are renamed in their row; Escape leaves the name", async () => {
    await open("view=session:s3");
    await row(/^auth-module/).focus();
    await page.keyboard.press("F2");
    const field = row(/^(auth|sign-in)/).getByRole("textbox", { name: "Title" });
    await field.fill("sign-in");
    await page.keyboard.press("Enter");
    await row(/^sign-in/).waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-row"))).toBe("s2");
    await page.keyboard.press("F2");
    await field.fill("something else");
    await page.keyboard.press("Escape");
    await expect.poll(() => field.count()).toBe(0);
    expect(await row(/^sign-in/).count()).toBe(1);
    await row(/^sign-in/).click({ button: "right" });
    await page.getByRole("menuitem", { name: /^Rename/ }).click();
    await field.fill("auth");
    await row(/^unit-tests/).click();
    await row(/^auth,/).waitFor();
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
