// @vitest-environment node
// The changes of a session in a real browser: files of every kind, both layouts, keys, viewed marks, comments, and
// lists and files of any length.
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
  const open = async (more = "") => {
    await page.goto(`${inject("fixturePage")}?view=session:s3&tab=changes${more}`);
    return page.getByRole("region", { name: "Changes of api-endpoints" });
  };
  const choose = (path: string) => page.locator(`[data-path="${path}"]`).click();
  const lines = () => page.locator(".lines");

  test("files of every kind are listed and shown", async () => {
    const view = await open();
    await choose("src/cart/cart.ts");
    await lines().getByText("total(rates: TaxRates): Cents {").first().waitFor();
    expect((await page.locator(".plus .differs").allTextContents()).join("")).toContain(
      "rates: TaxRates",
    );
    // Colours come later, from the worker.
    await page.locator(".lines .key", { hasText: "export" }).first().waitFor();
    for (const [path, words] of [
      ["archive.bin", "Binary file"],
      ["vendor/money", "A repository of its own"],
      ["scripts/release.sh", "Only the mode changed"],
      ["src/money.ts", "A merge left conflicts in this file."],
    ] as const) {
      await choose(path);
      await view.getByText(words).waitFor();
    }
    await choose("docs/logo.png");
    const widths = await view
      .getByRole("img", { name: /logo\.png/ })
      .evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth));
    expect(widths).toEqual([1, 1]);
  });

  test("letters move among files and mark them as viewed, and the marks stay", async () => {
    await open();
    await page.locator('[data-path="docs/logo.png"][aria-current]').waitFor();
    await page.keyboard.press("j");
    await page.locator('[data-path="scripts/release.sh"][aria-current]').waitFor();
    await page.keyboard.press("v");
    await page.locator('[data-path="src/cart/helpers/old-totals.ts"][aria-current]').waitFor();
    await page.getByText("1 of 10 files viewed").waitFor();
    await page.keyboard.press("k");
    const viewed = page.getByRole("checkbox", { name: "Viewed" });
    expect(await viewed.isChecked()).toBe(true);
    expect(await page.evaluate(() => localStorage.getItem("downbeat.viewed"))).toMatch(
      /^[0-9a-f]{10}$/,
    );
  });

  test("side by side, removed lines stand beside those that replaced them", async () => {
    await open();
    await choose("src/cart/cart.ts");
    await page.getByText("Side by side").click();
    const pair = page.locator(".line.pair", { hasText: "=== 0" });
    expect(await pair.locator(".minus").textContent()).toContain("== 0");
    expect(await pair.locator(".plus").textContent()).toContain("=== 0");
  });

  test("the layout stays for the next window, and what is ignored does not", async () => {
    await open();
    await page.getByText("Side by side").click();
    await page.getByRole("checkbox", { name: "Ignore white space" }).check();
    await open("&kept");
    await page.getByRole("radio", { name: "Side by side" }).waitFor();
    expect(await page.getByRole("radio", { name: "Side by side" }).isChecked()).toBe(true);
    const ignores = page.getByRole("checkbox", { name: "Ignore white space" });
    expect(await ignores.isChecked()).toBe(false);
  });

  test("a file is opened in the editor at the line that is marked", async () => {
    await open();
    await choose("src/cart/cart.ts");
    const opened = () =>
      page.evaluate(() => window.engine.opened.map(({ path, line }) => `${path}:${line}`));
    await page.keyboard.press("o");
    await expect.poll(opened).toHaveLength(1);
    await lines().focus();
    // The last one that was added.
    const marked = page.locator(".line.marked.plus, .line.marked:has(.plus)").locator("> .number");
    for (let step = 0; step < 40; step += 1) await page.keyboard.press("ArrowDown");
    while ((await marked.count()) === 0) await page.keyboard.press("ArrowUp");
    const line = await marked.last().textContent();
    await page.keyboard.press("o");
    await expect.poll(opened).toHaveLength(2);
    expect((await opened()).at(-1)).toBe(`src/cart/cart.ts:${line}`);
    expect((await opened())[0]).not.toBe((await opened())[1]);
  });

  test("comments become one message, which is queued for the agent", async () => {
    await open();
    await choose("src/cart/cart.ts");
    const line = lines().locator(".code", { hasText: "return totals(" });
    await line.hover();
    await line.getByRole("button").click();
    await page
      .getByRole("textbox", { name: "Comment on src/cart/cart.ts:17" })
      .fill("Which rates?");
    await page.keyboard.press("Control+Enter");
    const summary = page.getByRole("textbox", { name: "Summary for the agent" });
    await summary.fill("Please explain the rates.");
    await page.getByRole("button", { name: "Send comments" }).click();
    await page.getByRole("button", { name: "Send comments" }).waitFor({ state: "detached" });
    expect(await summary.inputValue()).toBe("");
    const sent = await page.evaluate(() => window.downbeat.call("listMessages", { id: "s3" }));
    expect(sent.at(-1)?.text).toBe(
      "Please explain the rates.\n\nA comment on your changes:\n\nsrc/cart/cart.ts:17\n> +    return totals(this.#items, rates).gross;\nWhich rates?",
    );
  });

  test("a review ends with a request for changes or an approval, by keys alone", async () => {
    const view = await open();
    await view.getByRole("button", { name: "Approve", exact: true }).waitFor();
    expect(await view.getByRole("button", { name: "Request changes" }).isDisabled()).toBe(true);
    await page.keyboard.press("r");
    await page.keyboard.type("Round half cents up.");
    await page.keyboard.press("Control+Enter");
    await view.getByText("Changes requested by you").waitFor();
    const sent = await page.evaluate(() => window.downbeat.call("listMessages", { id: "s3" }));
    expect(sent.filter(({ text }) => text === "Round half cents up.").length).toBe(1);
    // Escape leads back to the files, Tab to the buttons.
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.locator('[data-path="scripts/release.sh"][aria-current]').waitFor();
    await page.keyboard.press("r");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await view.getByText("Approved by you").waitFor();
    await view.getByText("at 8c1e0d9").waitFor();
  });

  test("a review that is refused loses nothing of what was written", async () => {
    const view = await open();
    const summary = view.getByRole("textbox", { name: "Summary for the agent" });
    await summary.fill("Round half cents up.");
    await page.evaluate(() => (window.engine.moved = true));
    await view.getByRole("button", { name: "Request changes" }).click();
    await page.getByText("the session committed since you looked").waitFor();
    expect(await summary.inputValue()).toBe("Round half cents up.");
  });

  test.each([
    ["s3", "Approved by you"],
    ["s2", "Outdated: 1 new commit"],
    ["s4", "Changes requested by you"],
  ])("the last review of %s is shown", async (id, words) => {
    await page.goto(`${inject("fixturePage")}?world=reviewed&view=session:${id}&tab=changes`);
    await page.getByRole("status").filter({ hasText: words }).waitFor();
  });

  test("a file of 40,000 changed lines and a list of 500 files draw only what is in view", async () => {
    await open("&changes=long");
    await lines().getByText("const old_0 = 0;").waitFor();
    await page.waitForFunction(() => document.querySelector(".all")?.clientHeight === 40_001 * 20);
    await lines().evaluate((area) => area.scrollTo({ top: area.scrollHeight }));
    await lines().getByText("const new_19999 = 19999;").waitFor();
    expect(await page.locator(".line").count()).toBeLessThan(150);
    await open("&changes=500");
    await page.getByText("0 of 500 files viewed").waitFor();
    expect(await page.locator(".tree [data-path]").count()).toBeLessThan(80);
    await page.getByRole("searchbox", { name: "Filter files" }).fill("module-499");
    await page.locator('[data-path="src/part-24/module-499.ts"]').waitFor();
    expect(await page.locator(".tree [data-path]").count()).toBe(1);
  });

  test("text from outside stays text, and turns nothing around", async () => {
    await open("&changes=long");
    const name = await page.locator('[data-path$="gnp.exe"] .name').textContent();
    expect(name).toBe("�gnp.exe");
  });

  test("nothing changed yet", async () => {
    const view = await open("&changes=empty");
    await view.getByText("No changes yet").waitFor();
  });

  test.each(["dark", "light"])("no accessibility rule is broken in the %s theme", async (theme) => {
    await open(`&theme=${theme}`);
    await choose("src/cart/cart.ts");
    await page.locator(".lines .key").first().waitFor();
    await page.addScriptTag({ content: axe.source });
    const broken = await page.evaluate(async () => {
      const { axe: checker } = window as unknown as { axe: typeof axe };
      const result = await checker.run(".changes", { runOnly: ["wcag2a", "wcag2aa"] });
      return result.violations.map(({ id, nodes }) => [
        id,
        ...nodes.slice(0, 4).map((node) => node.html + (node.failureSummary ?? "")),
      ]);
    });
    expect(broken).toEqual([]);
  });
});
