// @vitest-environment node
/// <reference types="node" />
// Many sessions that change all the time cost little, in a real browser. Counts what is done, which no slow machine changes;
// how long it takes, `npm run bench:frames` measures.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

declare global {
  interface Window {
    /** Whether the interface's typeface was loaded when its first words appeared. */
    typefaceAtFirst: boolean;
    /** What of the board was redrawn: the cards, those made anew, and the number of changes of the document. */
    redrawn: { places: Set<string>; made: string[]; records: number };
  }
}

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open, stopClock } = withApp((fresh) => (page = fresh));

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

  test("six hundred changes at once are read once, and the last is shown", async () => {
    await stopClock();
    await open("world=60&view=session:s3");
    const { asked, records } = await page.evaluate(async () => {
      const { engine } = window;
      const row = document.querySelector('[data-row="m3"]');
      let records = 0;
      const observer = new MutationObserver((all) => (records += all.length));
      const what = { subtree: true, childList: true, attributes: true, characterData: true };
      if (row) observer.observe(row, what);
      const before = engine.asked.length;
      for (let round = 1; round <= 10; round += 1) {
        for (const { id } of engine.world.sessions) {
          engine.edit(id, { title: `Title ${round}` });
          engine.changed("session-changed", id);
        }
      }
      while (!row?.textContent.includes("Title 10")) {
        await new Promise((done) => requestAnimationFrame(done));
      }
      for (let frame = 0; frame < 30; frame += 1) {
        await new Promise((done) => requestAnimationFrame(done));
      }
      observer.disconnect();
      return { asked: engine.asked.slice(before), records };
    });
    const reads = asked.filter((op) => op === "listSessions" || op === "getSession");
    expect(reads.sort()).toEqual(["getSession", "listSessions"]);
    expect(records).toBeLessThan(10);
  });

  /** Returns what of the board is redrawn while `act` runs: the cards, how often, and those made anew. */
  const redrawnBy = async (act: () => Promise<unknown>) => {
    await page.evaluate(() => {
      const [places, made] = [new Set<string>(), new Array<string>()];
      window.redrawn = { places, made, records: 0 };
      const idOf = (node: Element | null | undefined) => node?.getAttribute("data-card");
      const observer = new MutationObserver((all) => {
        window.redrawn.records += all.length;
        for (const { target, addedNodes } of all) {
          const at = target instanceof Element ? target : target.parentElement;
          places.add(idOf(at?.closest("[data-card]")) ?? "elsewhere");
          const added = [...addedNodes].filter((node) => node instanceof Element);
          made.push(...added.flatMap((node) => idOf(node) ?? []));
        }
      });
      const what = { subtree: true, childList: true, attributes: true, characterData: true };
      observer.observe(document.querySelector("[data-region=board]") ?? document.body, what);
    });
    await act();
    return page.evaluate(async () => {
      for (let frame = 0; frame < 12; frame += 1) {
        await new Promise((done) => requestAnimationFrame(done));
      }
      const { places, made, records } = window.redrawn;
      return { places: [...places].sort(), made: made.sort(), records };
    });
  };

  /** Opens a board of 300 sessions, and returns the ids of the cards in some of its columns. */
  const openBoard = async (columns: string) => {
    await stopClock();
    await open("world=board-300");
    return page
      .locator(`:is(${columns}) [data-card]`)
      .evaluateAll((all) => all.map((card) => card.getAttribute("data-card") ?? ""));
  };

  test("a change of 50 of 300 cards on the board redraws these cards, and no other", async () => {
    const cards = await openBoard("[data-column]:not([data-column=needsYou])");
    const ids = cards.filter((_, at) => at % 4 === 0 && at < 200).sort();
    expect(ids).toHaveLength(50);
    const redrawn = await redrawnBy(async () => {
      await page.evaluate((ids) => {
        for (const id of ids) {
          window.engine.edit(id, { title: `Renamed ${id}` });
          window.engine.changed("session-changed", id);
        }
      }, ids);
      const titles = page.locator("[data-card] .title", { hasText: /^Renamed f/ });
      await titles.nth(ids.length - 1).waitFor({ state: "attached" });
    });
    expect(redrawn).toMatchObject({ places: ids, made: [] });
    // Of each, its title and two names for screen readers; Svelte sets the direction of two texts again.
    expect(redrawn.records).toBeLessThanOrEqual(5 * ids.length);
  });

  test("of 300 cards on the board, only those that move to another column are made anew", async () => {
    const ids = (await openBoard("[data-column=working]")).slice(0, 10).sort();
    const { made } = await redrawnBy(async () => {
      await page.evaluate((ids) => {
        for (const id of ids) {
          window.engine.edit(id, { status: "idle", pulls: [], done: null, mergeState: null });
          window.engine.changed("session-status", id);
        }
      }, ids);
      await page.waitForFunction((ids) => {
        const isThere = (id: string) =>
          document.querySelector(`[data-column=inReview] [data-card=${id}]`) !== null;
        return ids.every(isThere);
      }, ids);
    });
    expect(made).toEqual(ids);
  });
});
