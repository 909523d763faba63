// @vitest-environment node
/// <reference types="node" />
// The field for messages in a real browser: it reads the messages of its session when they change, and not otherwise.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open } = withApp((fresh) => (page = fresh));
  const reads = () =>
    page.evaluate(() => window.engine.asked.filter((op) => op === "listMessages").length);
  /** Changes a session, and waits until the window has read that. */
  const change = async (id: string, task: string) => {
    await page.evaluate(([of, currentTask]) => window.engine.edit(of, { currentTask }), [
      id,
      task,
    ] as const);
    await page.evaluate((of) => window.downbeat.fleet.invalidate(["session"], [of]), id);
    await expect
      .poll(() => page.evaluate((of) => window.downbeat.fleet.session(of)?.currentTask, id))
      .toBe(task);
  };

  test("changes of sessions and of other sessions' messages read nothing again", async () => {
    await open("view=session:s2");
    await page.getByRole("list", { name: /^Messages waiting/ }).waitFor();
    await expect.poll(reads).toBeGreaterThan(0);
    // What was asked for when the window opened has come.
    await change("s2", "first");
    const before = await reads();
    for (const task of ["one", "two", "three"]) await change("s2", task);
    await page.evaluate(() => window.downbeat.fleet.invalidate(["messages"], ["s3"]));
    await change("s3", "four");
    expect(await reads()).toBe(before);
    await page.evaluate(() => window.downbeat.fleet.invalidate(["messages"], ["s2"]));
    await expect.poll(reads).toBe(before + 1);
  });

  test("a message that was sent stands in the queue", async () => {
    await open("view=session:s2");
    const field = page.locator("[data-region=composer] textarea");
    await field.fill("And the guide");
    await field.press("Enter");
    await page
      .getByRole("list", { name: /^Messages waiting/ })
      .getByText("And the guide")
      .waitFor();
  });

  test("a message that is put back shows that it is on its way, and goes once", async () => {
    await open("view=session:s2&trouble=slow");
    const again = page.getByRole("button", { name: "Send again" });
    await again.click();
    await page.locator("[data-region=composer] [aria-busy=true]").waitFor();
    await again.evaluate((button: HTMLElement) => button.click());
    await again.waitFor({ state: "detached" });
    const edits = await page.evaluate(
      () => window.engine.asked.filter((op) => op === "editMessage").length,
    );
    expect(edits).toBe(1);
  });
});
