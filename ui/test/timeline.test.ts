// @vitest-environment node
/// <reference types="node" />
// The timeline of the sessions in a real browser: rows and bars, keys, filters, what is read when, and a narrow window.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";
import { focused, tabTo } from "./keys";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open } = withApp((fresh) => (page = fresh));

  const rows = () => page.locator("[data-lane]");
  const row = (id: string) => page.locator(`[data-lane=${id}]`);
  const show = async (query: string) => {
    await open(query);
    await rows().first().waitFor();
  };
  const focusedRow = () =>
    page.evaluate(
      () => document.activeElement?.closest("[data-lane]")?.getAttribute("data-lane") ?? null,
    );
  const reads = () =>
    page.evaluate(() => window.engine.asked.filter((op) => op === "getTimeline").length);
  const ids = () => rows().evaluateAll((all) => all.map((at) => at.getAttribute("data-lane")));

  test("each session has a row with its sums, and all together have theirs", async () => {
    await show("view=timeline");
    expect(await rows().count()).toBe(7);
    await page.getByRole("heading", { level: 2, name: "storefront 5" }).waitFor();
    await page.getByRole("heading", { level: 2, name: "infra 2" }).waitFor();
    const totals = page.locator("dl", { hasText: "In parallel" });
    expect(await totals.innerText()).toMatch(/Worked\s+\d+ h \d\d min/);
    expect(await totals.innerText()).toMatch(/\d+(\.\d)? agents at once/);
    await page
      .getByRole("button", { name: /^auth-module: worked \d+ h \d\d min, waited/ })
      .waitFor();
    for (const name of ["Working", "Waiting", "Held back", "Idle", "Unknown"])
      await page.getByRole("listitem").filter({ hasText: name }).first().waitFor();
  });

  test("bars are drawn to scale: what began within the last hour is in the last part", async () => {
    await show("view=timeline");
    const places = await row("s6").evaluate((at) => {
      const track = at.querySelector("svg")?.getBoundingClientRect();
      const path = at.querySelector(".bar-waiting")?.getBoundingClientRect();
      return track && path ? { end: path.right - track.right, width: track.width } : null;
    });
    expect(places?.width).toBeGreaterThan(300);
    expect(Math.abs(places?.end ?? 99)).toBeLessThan(1.5);
  });

  test("arrow keys go from row to row and along the bars, whose reasons show; Enter opens", async () => {
    await show("view=timeline");
    const [first = null, second = null] = await ids();
    await page.locator("[data-lane] button[tabindex='0']").focus();
    expect(await focusedRow()).toBe(first);
    await page.keyboard.press("ArrowDown");
    expect(await focusedRow()).toBe(second);
    await page.keyboard.press("End");
    expect(await focusedRow()).toBe((await ids()).at(-1));
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => page.getByRole("tooltip").innerText()).toMatch(/^Working, .*\nsince/);
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => page.getByRole("tooltip").innerText()).toMatch(/–/);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("BUTTON");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.locator(".xterm-screen").waitFor();
    expect(await page.evaluate(() => window.downbeat.view.sessionId)).toBe(first);
  });

  test("the pointer shows why a session waited, and a click opens it", async () => {
    await show("view=timeline");
    const box = await row("s2").locator("svg").boundingBox();
    if (!box) throw new Error("no drawing");
    await page.mouse.move(box.x + 2, box.y + 9);
    const waiting = row("s2").locator("[data-tip^='Waiting for somebody']").first();
    const at = await waiting.boundingBox();
    if (!at) throw new Error("no bar");
    await page.mouse.move(at.x + at.width / 2, at.y + 10, { steps: 4 });
    await expect
      .poll(() => page.getByRole("tooltip").innerText())
      .toMatch(/^Waiting for somebody, \d+ min\n.*\n(Bash: npm run|Should expired|Edit:)/);
    await page.mouse.down();
    await page.mouse.up();
    await page.locator(".xterm-screen").waitFor();
    expect(await page.evaluate(() => window.downbeat.view.sessionId)).toBe("s2");
  });

  test("an archived session is dimmed and leads to the archive", async () => {
    await show("archived&view=timeline");
    await page.getByText("7 d").click();
    await expect.poll(() => row("a2").innerText()).toContain("Rewrite the checkout");
    expect(await row("a2").getAttribute("class")).toContain("archived");
    await row("a2").getByRole("button").click();
    await page.getByRole("dialog", { name: /Archive/ }).waitFor();
  });

  test("the range and the project are chosen, and the way back leads to the project before", async () => {
    await show("view=timeline");
    await page.getByRole("radiogroup", { name: "How far back" }).getByText("7 d").click();
    await expect.poll(reads).toBe(2);
    await page.getByLabel("Project: All projects").click();
    await page.getByRole("option", { name: "infra" }).click();
    await expect.poll(() => rows().count()).toBe(2);
    expect(await page.getByRole("heading", { level: 2, name: /infra/ }).count()).toBe(0);
    await page.goBack();
    await expect.poll(() => rows().count()).toBe(7);
    expect(await page.getByRole("radio", { name: "7 d" }).isChecked()).toBe(true);
  });

  test("sessions that waited longest can come first", async () => {
    await show("view=timeline:p1");
    const waits = () =>
      rows()
        .evaluateAll((all) =>
          all.map((at) =>
            /waited (?:(\d+) h )?(\d+) min/.exec(at.querySelector("button")?.ariaLabel ?? ""),
          ),
        )
        .then((all) => all.map((found) => Number(found?.[1] ?? 0) * 60 + Number(found?.[2] ?? 0)));
    await page.getByLabel("Order: Earliest first").click();
    await page.getByRole("option", { name: "Longest wait first" }).click();
    await expect.poll(waits).toEqual((await waits()).toSorted((a, b) => b - a));
  });

  test("it is reached from the palette, by its key, from the sidebar and the menu of a project", async () => {
    await open("");
    await page.keyboard.press("Control+K");
    await page.keyboard.type("show timeline");
    await page.keyboard.press("Enter");
    await rows().first().waitFor();
    await page.goBack();
    await page.locator("[data-card]").first().waitFor();
    await page.keyboard.press("Alt+Shift+T");
    await rows().first().waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Timeline" }).click();
    await rows().first().waitFor();
    await page.goBack();
    await page.getByRole("treeitem", { name: "infra" }).hover();
    await page.getByRole("button", { name: "Actions for infra" }).click();
    await page.getByRole("menuitem", { name: "Timeline" }).click();
    await expect.poll(() => rows().count()).toBe(2);
  });

  test("it is read again when sessions change: not at once again, and not while the page is hidden", async () => {
    await show("view=timeline");
    const before = await reads();
    const later = () =>
      page.evaluate(() => {
        const now = performance.now.bind(performance);
        performance.now = () => now() + 20_000;
      });
    const change = () =>
      page.evaluate(() => {
        for (const id of ["s1", "s2", "s3"]) {
          window.engine.edit(id, { statusSince: new Date().toISOString() });
          window.engine.changed("session-status", id);
        }
      });
    const hide = (value: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, value);
    await later();
    await change();
    await expect.poll(reads).toBe(before + 1);
    await later();
    await hide(true);
    await change();
    await page.waitForTimeout(700);
    expect(await reads()).toBe(before + 1);
    await hide(false);
    await expect.poll(reads).toBe(before + 2);
    await change();
    await page.waitForTimeout(700);
    expect(await reads()).toBe(before + 2);
  });

  test("its end moves on with the clock, without a read", async () => {
    await show("view=timeline");
    const sums = async () => (await row("s2").getByRole("button").getAttribute("aria-label")) ?? "";
    const [before, asked] = [await sums(), await reads()];
    await page.evaluate(() => {
      const later = Date.now() + 130_000;
      Date.now = () => later;
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await expect.poll(sums).not.toBe(before);
    expect(await reads()).toBe(asked);
  });

  test("without sessions, or after a failure, it offers what can be done", async () => {
    await open("timeline=none&view=timeline");
    await page.getByText("No agent was active in the last 24 hours").waitFor();
    await page.getByRole("button", { name: "Show the last 7 days" }).click();
    await page.getByText("No agent was active in the last 7 days").waitFor();
    await open("timeline=broken&view=timeline");
    await page.getByRole("heading", { name: "Could not read the timeline" }).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(reads).toBe(2);
    await page.getByRole("button", { name: "Try again" }).click();
    await rows().first().waitFor();
  });

  test("with 60 sessions, the range, a project and the order are chosen by keys, and the focus stays", async () => {
    await show("world=board-60&view=timeline");
    const all = await rows().count();
    expect(all).toBeGreaterThan(40);
    await tabTo(page, "24 h");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => focused(page)).toMatchObject({ name: "7 d", isMarked: true });
    await expect.poll(reads).toBe(2);
    await tabTo(page, /^Project: /);
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: "infra" }).waitFor();
    await page.keyboard.type("infra");
    await page.keyboard.press("Enter");
    await expect.poll(() => rows().count()).toBeLessThan(all / 2);
    await expect
      .poll(() => focused(page))
      .toMatchObject({ name: "Project: infra", isMarked: true });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: "Longest wait first" }).waitFor();
    await page.keyboard.type("longest");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => focused(page))
      .toMatchObject({ name: "Order: Longest wait first", isMarked: true });
    await page.keyboard.press("Tab");
    await expect.poll(focusedRow).toBe((await ids())[0]);
    expect(await focused(page)).toMatchObject({ isMarked: true });
  });

  test("with 300 sessions, a row has a few elements", async () => {
    await show("world=board-300&view=timeline");
    const { elements, count } = await page.evaluate(() => ({
      elements: document.querySelectorAll("[data-lane] *").length,
      count: document.querySelectorAll("[data-lane]").length,
    }));
    expect(count).toBeGreaterThan(250);
    expect(elements / count).toBeLessThan(20);
  });

  test("on a phone, the names are above the bars, and nothing is cut off", async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    await open("world=board-60&drawer&view=timeline");
    await page.keyboard.press("Escape");
    await rows().first().waitFor();
    const { name, bars } = await rows()
      .first()
      .evaluate((at) => ({
        name: at.querySelector(".title")?.getBoundingClientRect().bottom ?? 0,
        bars: at.querySelector("svg")?.getBoundingClientRect().top ?? 0,
      }));
    expect(name).toBeLessThanOrEqual(bars);
    const room = () => page.locator("main").evaluate((at) => at.scrollWidth - at.clientWidth);
    expect(await room()).toBe(0);
  });
});
