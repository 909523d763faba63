// @vitest-environment node
/// <reference types="node" />
// The main ways through the window by keys alone, in a real browser: the focus is always seen, and never lost.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { focused, tabTo, walk } from "./keys";
import { LONG, withApp } from "./app";

const dialog = (request: unknown) => `dialog=${encodeURIComponent(JSON.stringify(request))}`;

/** Views with what shows that they are complete. */
const VIEWS: Record<string, [query: string, shows: string]> = {
  board: ["world=board", "[data-card]"],
  "needs you": ["world=every&view=attention", "[data-answer]"],
  workers: ["view=session:s1&tab=workers", "article"],
  changes: ["world=clash&view=session:s3&tab=changes", "[data-path]"],
  story: ["view=session:s3&tab=story", "main li"],
  compare: ["world=pair&view=compare:s8,s9", "[role=columnheader]"],
  timeline: ["view=timeline", "[data-lane]"],
  plans: ["view=plans", "[data-plan]"],
  plan: ["view=plan:pl1&task=api", "[data-share]"],
  "graph of a plan": ["view=plan:pl1&form=graph&task=api", "[data-task]"],
  "merge queue": ["view=queue:p1", "ol li"],
  fix: ["view=fix:p1", "ol li"],
  cost: ["view=cost", "table"],
  settings: ["view=settings:general", "[role=spinbutton], input[type=number]"],
  keys: ["view=settings:keys", "main h2"],
  "new session": [dialog({ kind: "newSession" }), "[role=dialog] textarea"],
};

/** Fields without a frame, in which the caret alone shows the focus. */
const BARE = ["textarea Task"];

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open } = withApp((fresh) => (page = fresh));

  const card = () =>
    page.evaluate(() => document.activeElement?.closest<HTMLElement>("[data-card]")?.dataset.card);
  const region = () =>
    page.evaluate(
      () => document.activeElement?.closest<HTMLElement>("[data-region]")?.dataset.region,
    );
  /** Presses a key until something holds. */
  const press = async (key: string, until: () => Promise<boolean>) => {
    for (let at = 0; at < 20 && !(await until()); at += 1) await page.keyboard.press(key);
    expect(await until()).toBe(true);
  };
  /** The focus is somewhere, and seen. */
  const isSeen = () => expect.poll(() => focused(page)).toMatchObject({ isMarked: true });

  test("from the board to a session, its changes, and a comment that is sent", async () => {
    await open("");
    await page.locator("[data-card=s3]").waitFor();
    await page.keyboard.press("ArrowDown");
    await isSeen();
    await press("ArrowRight", async () => (await card()) === "s3" || (await card()) === "s6");
    await press("ArrowDown", async () => (await card()) === "s3");
    await isSeen();
    await page.keyboard.press("Enter");
    await page.locator(".xterm-screen").waitFor();
    await press("Control+F6", async () => (await region()) === "header");
    await tabTo(page, "Terminal");
    await isSeen();
    await page.keyboard.press("ArrowRight");
    await expect.poll(region).toBe("changes");
    await isSeen();
    await page.locator("[data-path][aria-current]").waitFor();
    await press("j", () =>
      page.locator('[data-path="src/cart/cart.ts"][aria-current]').isVisible(),
    );
    await page.getByRole("region", { name: "src/cart/cart.ts" }).waitFor();
    await tabTo(page, "src/cart/cart.ts");
    for (let at = 0; at < 4; at += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("c");
    await page.getByRole("textbox", { name: /^Comment on/ }).waitFor();
    await page.keyboard.type("Why cents?");
    await page.keyboard.press("Control+Enter");
    await tabTo(page, "Send comments");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Send comments" }).waitFor({ state: "detached" });
    await isSeen();
    expect(await region()).toBe("changes");
    const sent = await page.evaluate(() => window.downbeat.call("listMessages", { id: "s3" }));
    expect(sent.at(-1)?.text).toContain("Why cents?");
  });

  test("what needs me is answered and put off, and the focus stays in the list to its end", async () => {
    await open("");
    await tabTo(page, /^Needs you/);
    await page.keyboard.press("Enter");
    const items = page.locator("li[data-card]");
    await expect.poll(() => items.count()).toBe(2);
    await press("ArrowDown", async () => (await card()) === "s3");
    await isSeen();
    await expect
      .poll(() => page.locator("[data-answer='3']").getAttribute("aria-disabled"))
      .toBe("false");
    // The list ignores digits in its first moment.
    await expect
      .poll(async () => {
        await page.keyboard.press("3");
        return page.evaluate(() => window.engine.answers);
      })
      .toEqual(["s3: No"]);
    await expect.poll(() => items.count()).toBe(1);
    await expect.poll(card).toBe("s6");
    await isSeen();
    await page.keyboard.press("z");
    await page.getByText("Nothing needs you").waitFor();
    await isSeen();
  });

  test("a dialog gives the focus back to what opened it", async () => {
    await open("world=board");
    await page.locator("[data-card]").first().waitFor();
    await page.keyboard.press("ArrowDown");
    const at = await card();
    expect(at).toBeDefined();
    for (const keys of ["Alt+Shift+N", "Control+K", "."]) {
      await page.keyboard.press(keys);
      const layer = page.locator("[role=dialog], [role=menu]");
      await layer.waitFor();
      await expect
        .poll(() =>
          page.evaluate(
            () => document.activeElement?.closest("[role=dialog], [role=menu]") !== null,
          ),
        )
        .toBe(true);
      await page.keyboard.press("Escape");
      await layer.waitFor({ state: "detached" });
      await expect.poll(card).toBe(at);
      await isSeen();
    }
  });

  test("a session is created from the board, and one that is removed leaves the focus at its neighbour", async () => {
    await open("");
    await page.keyboard.press("Alt+Shift+N");
    const task = page.getByRole("textbox", { name: "Task" });
    await task.waitFor();
    await expect.poll(() => focused(page)).toMatchObject({ name: "Task" });
    await page.keyboard.type("Round half cents up");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { level: 1, name: "Round half cents up" }).waitFor();
    await press("Control+F6", async () => (await region()) === "sidebar");
    await press("ArrowDown", async () =>
      ((await focused(page))?.name ?? "").startsWith("Rotate deploy keys"),
    );
    await isSeen();
    await page.keyboard.press("Delete");
    const asks = page.getByRole("dialog");
    await asks.waitFor();
    await tabTo(page, /^Session and its conversation/);
    await isSeen();
    await page.keyboard.press("Space");
    await tabTo(page, "Save and remove");
    await isSeen();
    await page.keyboard.press("Enter");
    await asks.waitFor({ state: "detached" });
    await page
      .getByRole("treeitem", { name: /^Rotate deploy keys/ })
      .waitFor({ state: "detached" });
    await expect.poll(region).toBe("sidebar");
    await isSeen();
  });

  test.each(Object.entries(VIEWS))("Tab shows where it is in: %s", async (name, [query, shows]) => {
    await open(query);
    await page.locator(shows).first().waitFor();
    const { all, unseen } = await walk(page);
    expect(unseen.filter((one) => !BARE.includes(one))).toEqual([]);
    expect(all.length).toBeGreaterThan(name === "new session" ? 4 : 12);
  });
});
