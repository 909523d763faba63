// @vitest-environment node
// The story of a session in a real browser: its entries by day, its way to the terminal and to a commit's changes, and
// its empty state.
import type { Page } from "playwright-core";
import axe from "axe-core";
import { describe, expect, inject, test } from "vitest";
import { chromiumPath, withPages } from "./chromium";

const LONG = 60_000;

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  withPages(
    (fresh) => {
      page = fresh;
      page.setDefaultTimeout(20_000);
    },
    {},
    LONG,
  );
  const open = async (query = "view=session:s3&tab=story") => {
    await page.goto(`${inject("fixturePage")}?${query}`);
    return page.getByRole("region", { name: "What happened in" });
  };

  test("entries are listed by day, long ones cut until asked for, and the newest is in view", async () => {
    const story = await open();
    await expect.poll(() => story.getByRole("heading").allTextContents()).toContain("Today");
    expect(await story.getByRole("listitem").count()).toBe(14);
    const merged = story.getByRole("listitem").last();
    expect(await merged.textContent()).toContain("Merged");
    await expect.poll(async () => (await merged.boundingBox())?.y ?? 9_999).toBeLessThan(900);
    const answer = story.getByRole("listitem").filter({ hasText: "Step 1 of the plan" });
    const height = async () => (await answer.boundingBox())?.height ?? 0;
    const cut = await height();
    await answer.getByRole("button", { name: "Show all" }).click();
    await answer.getByRole("button", { name: "Show less" }).waitFor();
    expect(await height()).toBeGreaterThan(cut);
  });

  test("an entry leads to its words in the terminal, and a commit to its changes", async () => {
    const story = await open();
    const prompt = story.getByRole("listitem").filter({ hasText: "Sessions must end" });
    await prompt.getByRole("button", { name: "Find in the terminal" }).click();
    const find = page.getByRole("search", { name: "Find in the terminal" }).getByRole("textbox");
    await expect.poll(() => find.inputValue()).toBe("Sessions must end 30 minutes");
    const again = await open();
    await again.getByRole("button", { name: /^4f0a91b2/ }).click();
    await page.getByRole("region", { name: "Changes of api-endpoints" }).waitFor();
  });

  test("a session in which nothing happened says so, and nothing is unreachable", async () => {
    const story = await open("world=queued&view=session:s4&tab=story");
    await story.getByText("Nothing happened yet").waitFor();
    await (await open()).getByText("Merged").waitFor();
    await page.addScriptTag({ content: axe.source });
    const { violations } = await page.evaluate(async () => {
      const { axe: checker } = window as unknown as { axe: typeof axe };
      return checker.run(".story", { runOnly: ["wcag2a", "wcag2aa"] });
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`)).toEqual([]);
  });
});
