// @vitest-environment node
/// <reference types="node" />
// Runs of `fix` in a real browser: under way, ended in each way, and how one is begun and cancelled by keys alone.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { focused, tabTo } from "./keys";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open } = withApp((fresh) => (page = fresh));

  const report = () => page.getByRole("region", { name: "What was red on main" });
  const group = (title: string) => report().locator("ol > li").filter({ hasText: title });
  const says = () => report().getByRole("status").innerText();
  const show = async (query: string) => {
    await open(query);
    await report().waitFor();
  };

  test("a run under way names each group, what is red in it, and who fixes it", async () => {
    await show("view=fix:p1");
    expect(await says()).toBe("1 of 4 groups green, 1 worker at work.");
    expect(await report().locator("ol > li").count()).toBe(4);
    const working = group("src/total.ts");
    expect(await working.innerText()).toMatch(
      /Being fixed by a-worker\s+src\/total\.ts > rounds half cents expected 4 to be 3/,
    );
    expect(await working.innerText()).toMatch(/\$0\.12\s+3 min/);
    // What is fixed is red no more.
    expect(await group("src/cart.ts").innerText()).not.toContain("expected 4");
    await group("src/lib.rs").getByText("Skipped: unit-tests changes src/lib.rs already").waitFor();
    expect(await group("src/lib.rs").getByRole("button").count()).toBe(0);
  });

  test("by keys alone, a worker is opened, and a run is cancelled and begun again", async () => {
    await show("view=fix:p1");
    await tabTo(page, "src/total.ts");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "api-endpoints" }).waitFor();
    await page.goBack();
    await report().waitFor();
    await tabTo(page, "Cancel");
    await page.keyboard.press("Enter");
    await expect.poll(says).toBe("Cancelled: 1 of 4 groups green.");
    await expect.poll(() => focused(page)).toMatchObject({ name: "Only look", isMarked: true });
    await page.keyboard.press("Tab");
    expect(await focused(page)).toMatchObject({ name: "Fix what is red…" });
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Fix what is red in storefront" });
    await dialog.waitFor();
    await expect.poll(() => focused(page)).toMatchObject({ name: "Start" });
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(says).toBe("The checks run on main.");
    await page.getByRole("region", { name: "Earlier runs" }).getByText("cancelled").waitFor();
    await expect.poll(() => focused(page)).toMatchObject({ name: "Cancel", isMarked: true });
  });

  test("a run has the agent, the workers and the limits that were chosen, and the next one proposes them", async () => {
    await show("fix=left&view=fix:p1");
    const dialog = page.getByRole("dialog", { name: "Fix what is red in storefront" });
    const open = () => page.getByRole("button", { name: "Fix what is red…" }).click();
    const started = () => page.evaluate(() => window.engine.fixes);
    await open();
    await dialog.getByLabel("Budget", { exact: true }).fill("0");
    await dialog.getByText("A budget is more than 0 dollars").waitFor();
    expect(await dialog.getByRole("button", { name: "Start" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Budget", { exact: true }).fill("2.5");
    await dialog.getByLabel("Workers at once").fill("5");
    await dialog.getByLabel("Agent").click();
    await page.getByRole("option", { name: "Codex" }).click();
    await dialog.getByRole("button", { name: "Start" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(started).toEqual([{ project: "p1", agent: "codex", workers: 5, usd: 2.5 }]);
    await page.getByRole("button", { name: "Cancel" }).click();
    await open();
    await expect.poll(() => dialog.getByLabel("Budget", { exact: true }).inputValue()).toBe("2.5");
    expect(await dialog.getByLabel("Workers at once").inputValue()).toBe("5");
    expect(await dialog.getByLabel("Tries for each group").inputValue()).toBe("");
  });

  test("a run that ended has a report: what is left, what could not be read, and earlier runs", async () => {
    await show("fix=left&view=fix:p1");
    expect(await says()).toBe("2 of 4 groups green; the others need you.");
    expect(await report().getByText("expected 4 to be 3").count()).toBe(2);
    // Two checks said this.
    expect(await report().getByText("it declares entities").allInnerTexts()).toEqual([
      "reports/junit.xml was not read: it declares entities.",
    ]);
    await page.getByRole("region", { name: "Earlier runs" }).getByText("3 groups fixed").waitFor();
    await page.getByRole("button", { name: "Fix what is red…" }).waitFor();
    expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
  });

  test.each([
    ["budget", "Stopped, because $0.36 of $0.30 are used: 1 of 4 groups green.", 4],
    ["nothing", "All checks are green on main: nothing to fix.", 0],
    [
      "failed",
      "The checks could not run: npm ci ended with exit code 1: no space left on device.",
      0,
    ],
    ["looking", "The checks run on main.", 0],
  ])("a run that is or ended as %s says so", async (kind, words, groups) => {
    await show(`fix=${kind}&view=fix:p1`);
    expect(await says()).toBe(words);
    expect(await report().locator("ol > li").count()).toBe(groups);
    const begins = await page.getByRole("button", { name: "Fix what is red" }).count();
    expect(begins).toBe(kind === "looking" ? 0 : 1);
  });

  test("a project without a run says what one does; one that may not start says why", async () => {
    await open("view=fix:p2");
    await page.getByRole("heading", { name: "Nothing was fixed here yet" }).waitFor();
    await tabTo(page, "Fix what is red…");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Fix what is red in infra" });
    await dialog.waitFor();
    await expect.poll(() => focused(page)).toMatchObject({ name: "Start" });
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").getByText("infra is not trusted").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await focused(page)).toMatchObject({ name: "Fix what is red…", isMarked: true });
  });

  test("on a phone, nothing is cut off", async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    await open("fix=left&drawer&view=fix:p1");
    await page.keyboard.press("Escape");
    await report().waitFor();
    const room = () => page.locator(".fix").evaluate((at) => at.scrollWidth - at.clientWidth);
    expect(await room()).toBe(0);
  });
});
