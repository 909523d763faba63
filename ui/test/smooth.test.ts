// @vitest-environment node
/// <reference types="node" />
// Many sessions that change all the time cost little, in a real browser.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

declare global {
  interface Window {
    /** Whether the interface's typeface was loaded when its first words appeared. */
    typefaceAtFirst: boolean;
  }
}

/** The longest that a redraw may compute, in milliseconds, on a slow machine without a graphics processor. */
const MOST_WORK = 33;

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open } = withApp((fresh) => (page = fresh));

  test("a change of one session redraws only its rows", async () => {
    await open("world=60&view=session:s3");
    /** Returns what is redrawn after a change of `m3`: ids of rows, and names of other places. */
    const touched = () =>
      page.evaluate(async () => {
        const places = new Set<string>();
        let records = 0;
        const observer = new MutationObserver((all) => {
          records += all.length;
          for (const { target } of all) {
            const at = target instanceof Element ? target : target.parentElement;
            const place = at?.closest("[data-row], aside footer, .brand, nav, main");
            places.add(place?.getAttribute("data-row") ?? place?.tagName ?? "elsewhere");
          }
        });
        const row = document.querySelector('[data-row="m3"]');
        const before = row?.getAttribute("aria-label");
        const what = { subtree: true, childList: true, attributes: true, characterData: true };
        observer.observe(document.body, what);
        const { status } = window.engine.edit("m3", {});
        window.engine.edit("m3", { status: status === "running" ? "idle" : "running" });
        window.engine.changed("session-status", "m3");
        // The reads that a change causes are over when one of the last requested is.
        while (row?.getAttribute("aria-label") === before) {
          await new Promise((done) => requestAnimationFrame(done));
        }
        for (let frame = 0; frame < 12; frame += 1) {
          await new Promise((done) => requestAnimationFrame(done));
        }
        observer.disconnect();
        return { places: [...places].sort(), few: records < 30 };
      });
    // The clock may have ticked in the meantime, which may redraw every row.
    await expect.poll(touched).toEqual({ places: ["FOOTER", "m3"], few: true });
  });

  test("the first words are drawn in their own typeface, even if it loads late", async () => {
    await page.route(/inter-latin-wght.*woff2/, async (route) => {
      await new Promise((done) => setTimeout(done, 150));
      await route.continue();
    });
    await page.addInitScript(() => {
      const words = new MutationObserver(() => {
        if (!document.querySelector("[role=tree], aside")) return;
        words.disconnect();
        window.typefaceAtFirst = document.fonts.check("13px 'Inter Variable'");
      });
      words.observe(document, { childList: true, subtree: true });
    });
    await open("");
    expect(await page.evaluate(() => window.typefaceAtFirst)).toBe(true);
  });

  test("sixty sessions that change all the time leave the page responsive", async () => {
    await open("world=60&storm=120");
    const longest = await page.evaluate(
      () =>
        new Promise<number>((done) => {
          let last = performance.now();
          let worst = 0;
          const end = last + 3_000;
          const frame = (now: number) => {
            worst = Math.max(worst, now - last);
            last = now;
            if (now < end) requestAnimationFrame(frame);
            else done(worst);
          };
          requestAnimationFrame(frame);
        }),
    );
    // Generous: the machine may be building something else. A stutter would be far longer.
    expect(longest).toBeLessThan(400);
  });

  /** Returns frames per second, and the time within which 95 of 100 frames follow each other, over some seconds. */
  const frames = (seconds: number) =>
    page.evaluate(
      (length) =>
        new Promise<{ rate: number; p95: number }>((done) => {
          const times: number[] = [];
          const end = performance.now() + length * 1000;
          const frame = (now: number) => {
            times.push(now);
            if (now < end) return void requestAnimationFrame(frame);
            const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
            gaps.sort((a, b) => a - b);
            const all = (times.at(-1) ?? 0) - (times[0] ?? 0);
            done({
              rate: (gaps.length / all) * 1000,
              p95: gaps[Math.floor(gaps.length * 0.95)] ?? Infinity,
            });
          };
          requestAnimationFrame(frame);
        }),
      seconds,
    );

  test("a board of 300 sessions of which 50 change each second fits its work into frames", async () => {
    await open("world=board-300");
    expect(await page.locator("[data-card]").count()).toBeGreaterThan(200);
    const tools = await page.context().newCDPSession(page);
    // The time that the page's thread computed: what else the machine does is not in it.
    await tools.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async () => {
      const { metrics } = await tools.send("Performance.getMetrics");
      const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
      return { work: of("TaskDuration"), rounds: of("LayoutCount") };
    };
    await page.evaluate(() => window.engine.storm(50));
    const before = await spent();
    const { rate, p95 } = await frames(6);
    const after = await spent();
    const round = ((after.work - before.work) / (after.rounds - before.rounds)) * 1000;
    console.log(
      `board of 300, 50 changes/s: ${rate.toFixed(1)} frames/s, p95 ${p95.toFixed(1)} ms; ${round.toFixed(1)} ms of work for each redraw`,
    );
    expect(round).toBeLessThan(MOST_WORK);
  });
});
