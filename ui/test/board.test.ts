// @vitest-environment node
/// <reference types="node" />
// The board in a real browser: columns, keys, filters, answers in place, and what a change redraws.
import type { Page } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open, stopClock, isStill } = withApp((fresh) => (page = fresh));

  const column = (name: string) => page.getByRole("region", { name });
  const card = (id: string) => page.locator(`[data-card=${id}]`);
  const counts = () =>
    page
      .locator("[data-column] header .count")
      .allTextContents()
      .then((all) => all.map(Number));
  const focused = () =>
    page.evaluate(
      () => document.activeElement?.closest("[data-card]")?.getAttribute("data-card") ?? null,
    );

  test("home shows each session once, in the column of who must act", async () => {
    await open("world=board");
    const all = await counts();
    expect(all).toHaveLength(5);
    expect(all.reduce((sum, one) => sum + one, 0)).toBe(16);
    expect(await page.locator("[data-card]").count()).toBe(16);
    await expect.poll(() => column("In review").getByText("Checks failed").count()).toBe(1);
    await expect
      .poll(() => column("Ready to merge").getByText("Merge", { exact: true }).count())
      .toBe(1);
  });

  test("arrows move between cards and columns, Enter opens, and the way back keeps the place", async () => {
    await open("world=board");
    await page.keyboard.press("ArrowDown");
    const first = await focused();
    await page.keyboard.press("ArrowDown");
    expect(await focused()).not.toBe(first);
    await page.keyboard.press("ArrowRight");
    expect(
      await card((await focused()) ?? "").evaluate((at) =>
        at.closest("[data-column]")?.getAttribute("data-column"),
      ),
    ).toBe("needsYou");
    await page.keyboard.press("ArrowRight");
    const chosen = await focused();
    await page.keyboard.press("Enter");
    await page.locator(".xterm-screen").waitFor();
    expect(await page.evaluate(() => window.downbeat.view.sessionId)).toBe(chosen);
    await page.goBack();
    await expect.poll(focused).toBe(chosen);
  });

  test("a slash leads to the filter, Escape empties it, and one without a match offers the way out", async () => {
    await open("world=board");
    await page.keyboard.press("/");
    await page.keyboard.type("passkey");
    await expect.poll(() => page.locator("[data-card]").count()).toBe(2);
    await page.keyboard.type(" nowhere");
    await page.getByText("No session matches").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("[data-card]").count()).toBe(16);
  });

  test("a text that ends with an ellipsis is shown in full in a tooltip, and a short one has none", async () => {
    await open("world=long");
    const title = page.locator("[data-card=s2] .title");
    await title.hover();
    const told = await page.getByRole("tooltip").innerText();
    expect(told).toBe(await title.textContent());
    expect(told.length).toBeGreaterThan(80);
    await open("world=board");
    await page.getByText("Typed config loader").last().hover();
    await page.waitForTimeout(900);
    expect(await page.getByRole("tooltip").count()).toBe(0);
  });

  test("on a phone, the row of columns fades where it goes on and shows the chosen one", async () => {
    await open("world=board&column=done");
    await page.setViewportSize({ width: 400, height: 800 });
    const row = page.locator(".choices");
    const chosen = await row.getByText("Done").boundingBox();
    expect(chosen && chosen.x + chosen.width).toBeLessThanOrEqual(400);
    const mask = () => row.evaluate((at) => at.style.maskImage);
    await expect.poll(mask).toContain("black 28px");
    await row.evaluate((at) => at.scrollTo(0, 0));
    await expect.poll(mask).toContain("100% - 28px");
    await page.setViewportSize({ width: 880, height: 800 });
    await expect.poll(mask).toBe("");
  });

  test("filters and groups are kept for the next start", async () => {
    await open("world=board");
    await page.getByLabel("Project: All projects").click();
    await page.getByRole("option", { name: "infra" }).click();
    await page.getByLabel("Group: No groups").click();
    await page.getByRole("option", { name: "By conductor" }).click();
    await expect.poll(() => page.locator("[data-card]").count()).toBe(8);
    const kept = await page.evaluate(() => localStorage.getItem("downbeat.board"));
    expect(JSON.parse(kept ?? "{}")).toMatchObject({ project: "p2", grouping: "conductor" });
  });

  test("a question is answered on the board, by its digit or with the pointer", async () => {
    await open("world=board");
    const asking = page.locator("[data-column=needsYou] [data-card]").first();
    const id = await asking.getAttribute("data-card");
    await asking.locator(".what").focus();
    await page.waitForTimeout(900);
    await page.keyboard.press("1");
    await expect.poll(() => page.evaluate(() => window.engine.answers)).toEqual([`${id}: Yes`]);
    await expect.poll(() => column("Working").locator(`[data-card=${id}]`).count()).toBe(1);
  });

  test("letters run actions on the card that has the focus", async () => {
    await open("world=board");
    const ended = page.locator("[data-column=done] [data-card]").first();
    const id = (await ended.getAttribute("data-card")) ?? "";
    await ended.locator(".what").focus();
    await page.keyboard.press("r");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await card(id).locator(".what").focus();
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: "Archive" }).waitFor();
    await page.keyboard.press("Escape");
  });

  test("a change of one session redraws its card, and no other", async () => {
    await stopClock();
    await open("world=board");
    await page.locator("[data-card=f2] .text").waitFor();
    await isStill("main");
    const touched = await page.evaluate(async () => {
      const cards = new Set<string>();
      const observer = new MutationObserver((all) => {
        for (const { target } of all) {
          const at = target instanceof Element ? target : target.parentElement;
          const id = at?.closest("[data-card]")?.getAttribute("data-card");
          if (id) cards.add(id);
        }
      });
      const what = { subtree: true, childList: true, attributes: true, characterData: true };
      const line = () => document.querySelector("[data-card=f2] .text")?.textContent;
      observer.observe(document.querySelector("main") ?? document.body, what);
      window.engine.edit("f2", { currentTask: "Reading the log" });
      window.engine.changed("session-changed", "f2");
      while (line() !== "Reading the log") await new Promise((done) => setTimeout(done, 20));
      observer.disconnect();
      return [...cards];
    });
    expect(touched).toEqual(["f2"]);
  });

  test("a red project is named above the board, with the way to make it green", async () => {
    await open("world=board&fix");
    const line = page.getByRole("region", { name: "Red checks of storefront" });
    await line.getByText("3 groups of failures on main, being fixed").waitFor();
    await line.getByRole("button", { name: "Show" }).click();
    await page.getByRole("heading", { level: 1, name: "Red to green" }).waitFor();
  });

  test("done sessions are folded to the newest", async () => {
    await open("world=board-60");
    const cards = () => page.locator("[data-column=done] [data-card]").count();
    const all = (await counts()).at(-1) ?? 0;
    expect(await cards()).toBe(10);
    await page.getByRole("button", { name: `Show all ${all}` }).click();
    await expect.poll(cards).toBe(all);
  });

  test("a narrow window shows a column at a time, first the one that needs the person", async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    await page.goto(`${inject("fixturePage")}?world=board`);
    await page.locator("[data-answer]").first().waitFor();
    expect(await page.locator("[data-column]").count()).toBe(1);
    await page.getByRole("radio", { name: /^In review/ }).check({ force: true });
    await expect.poll(() => page.locator("[data-column=inReview] [data-card]").count()).toBe(4);
  });
});
