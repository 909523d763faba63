// @vitest-environment node
/// <reference types="node" />
// The terminal in a real browser, over the fixture host: behaviour that needs layout, a clipboard
// and real keys. Without a Chromium the tests are skipped, except in CI.
import type { Page } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { chromiumPath, withPages } from "./chromium";

const LONG = 60_000;

/** The part of xterm that the scrollbar's test inspects. */
interface Inside {
  _core: {
    _viewport: {
      _scrollableElement: { setScrollDimensions(size: { scrollHeight: number }): void };
    };
    _renderService: { dimensions: { css: { cell: { height: number } } } };
  };
}

/** The content of a frame. */
interface Seen {
  lastLine: boolean;
  lines: number;
}

declare global {
  interface Window {
    laidOut: number[];
    seen: Seen[];
    letFontsCome: () => void;
    letTextCome: (text: string) => void;
  }
}

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;

  const address = () => `${inject("fixturePage")}?view=session:s2`;

  withPages(
    async (fresh) => {
      page = fresh;
      await page.goto(address());
      await page.locator(".xterm-screen").waitFor();
      await drawn("s2", "❯");
    },
    { permissions: ["clipboard-read", "clipboard-write"] },
    LONG,
  );

  /** Waits until the terminal's buffer contains the text. */
  const drawn = (id: string, text: string) =>
    page.waitForFunction(
      ([id, text]) => {
        const buffer = window.terminals.peek(id)?.screen.term.buffer.active;
        for (let y = 0; buffer && y < buffer.length; y += 1) {
          if (buffer.getLine(y)?.translateToString().includes(text)) return true;
        }
        return false;
      },
      [id, text] as const,
    );
  const place = (id = "s2") =>
    page.evaluate((id) => {
      const term = window.terminals.peek(id)?.screen.term;
      const { viewportY = -1, baseY = -1 } = term?.buffer.active ?? {};
      const top = term?.buffer.active.getLine(viewportY)?.translateToString(true) ?? "";
      return { viewportY, baseY, top, cols: term?.cols ?? 0, rows: term?.rows ?? 0 };
    }, id);
  /** Waits until neither the space nor the size of a terminal has changed for twenty frames. */
  const atRest = (id: string) =>
    page.evaluate(async (id) => {
      const seen = () => {
        const { width, height } =
          document.querySelector("[data-terminal]")?.getBoundingClientRect() ?? {};
        return JSON.stringify([width, height, window.keepers.get(id)?.resizes]);
      };
      let [before, same] = ["", 0];
      while (same < 20) {
        await new Promise(requestAnimationFrame);
        same = seen() === before ? same + 1 : 0;
        before = seen();
      }
    }, id);
  const print = (text: string, id = "s2") =>
    page.evaluate(([id, text]) => window.keepers.get(id)?.print(text), [id, text] as const);
  const typed = (id = "s2") => page.evaluate((id) => window.keepers.get(id)?.typed ?? "", id);
  const show = (id: string) => page.evaluate((id) => window.downbeat.view.open(id), id);
  const scroll = async (lines: number) => {
    await page.evaluate((n) => window.terminals.peek("s2")?.screen.term.scrollLines(n), lines);
  };

  test("opening a terminal takes the focus and requests the size that fits", async () => {
    const { cols, rows } = await place();
    expect(cols).toBeGreaterThan(90);
    expect(rows).toBeGreaterThan(35);
    const keeper = await page.evaluate(() => {
      const it = window.keepers.get("s2");
      return [it?.cols, it?.rows];
    });
    expect(keeper).toEqual([cols, rows]);
  });

  test("a terminal that is drawn late takes the focus from no field and no row", async () => {
    await page.addInitScript(() => {
      const late = new Promise<FontFace[]>((come) => (window.letFontsCome = () => come([])));
      document.fonts.load = () => late;
    });
    await page.reload();
    const message = page.getByRole("textbox", { name: "Message to auth-module" });
    await message.fill("Keep the old cookie");
    await page.evaluate(() => window.letFontsCome());
    await drawn("s2", "❯");
    await page.keyboard.type(" for now");
    expect(await message.inputValue()).toBe("Keep the old cookie for now");

    await page.reload();
    await message.waitFor();
    await page.getByRole("treeitem", { name: /^Rotate deploy keys/ }).focus();
    await page.evaluate(() => window.letFontsCome());
    await drawn("s2", "❯");
    await page.keyboard.press("Delete");
    await page.getByRole("dialog", { name: /Remove/ }).waitFor();
    expect(await typed()).toBe("");
  });

  test("a slow paste goes to the terminal it began in", async () => {
    await page.goto(`${address()}&shells=1`);
    await drawn("s2", "❯");
    await page.evaluate(() => {
      const late = new Promise<string>((come) => (window.letTextCome = come));
      navigator.clipboard.readText = () => late;
    });
    await page.locator(".xterm-screen").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Paste" }).click();
    await page.getByRole("tab", { name: /Shell 1/ }).click();
    await page.getByRole("group", { name: /^Shell 1 of/ }).waitFor();
    const shell = await page.evaluate(
      () => window.downbeat.fleet.session("s2")?.shells[0]?.id ?? "",
    );
    await page.waitForFunction((id) => window.terminals.peek(id)?.drawn === true, shell);
    await page.evaluate(() => window.letTextCome("rm -r build"));
    await expect.poll(() => typed()).toContain("rm -r build");
    expect(await typed(shell)).toBe("");
  });

  test("the viewer answers no queries", async () => {
    const ask = "\x1b[c\x1b[>c\x1b[=c\x1b[5n\x1b[6n\x1b[?6n\x1b[>q\x1b[?2026$p\x1b[18t\x1b[14t";
    const colours =
      "\x1b]4;1;?\x07\x1b]10;?\x07\x1b]11;?\x07\x1b]12;?\x07\x1bP$qm\x1b\\\x1b]52;c;?\x07";
    await print(`${ask}${colours}\x1b[?1004hasked`);
    await drawn("s2", "asked");
    expect(await typed()).toBe("");
  });

  test("output while scrolled up does not move the view; typing scrolls to the end", async () => {
    await scroll(-100);
    const before = await place();
    await print("more\r\n".repeat(50));
    await page.waitForFunction((base) => {
      return (window.terminals.peek("s2")?.screen.term.buffer.active.baseY ?? 0) >= base + 50;
    }, before.baseY);
    expect((await place()).viewportY).toBe(before.viewportY);
    await page.getByRole("button", { name: "Latest" }).waitFor();
    await page.keyboard.type("x");
    await page.waitForFunction(() => window.terminals.peek("s2")?.above === 0);
    expect(await typed()).toBe("x");
  });

  test("a parked terminal keeps its position, draws output, and never resizes", async () => {
    await scroll(-100);
    const before = await place();
    await show("s3");
    await drawn("s3", "proceed");
    await page.setViewportSize({ width: 1000, height: 600 });
    const resizes = await page.evaluate(() => window.keepers.get("s2")?.resizes.length);
    await print("while parked\r\n".repeat(3));
    await drawn("s2", "while parked");
    expect(await place()).toMatchObject({ cols: before.cols, rows: before.rows });
    expect(await page.evaluate(() => window.keepers.get("s2")?.resizes.length)).toBe(resizes);
    await page.setViewportSize({ width: 1360, height: 860 });
    await show("s2");
    await page.waitForFunction(() => window.terminals.peek("s2")?.screen.element.isConnected);
    // Its queue is read again, and takes room from the terminal.
    await expect
      .poll(() => place())
      .toMatchObject({ viewportY: before.viewportY, top: before.top, rows: before.rows });
    expect(await page.evaluate(() => window.keepers.get("s2")?.attached)).toBe(1);
  });

  test("a terminal with queued messages gets one size, whenever it is opened", async () => {
    await page.evaluate(async () => {
      const { downbeat, engine } = window;
      engine.edit("s4", { status: "running" });
      for (const content of ["One more thing", "And another"]) {
        await downbeat.call("sendMessage", {
          id: "s4",
          content,
          when: "when-ready",
          waitSeconds: 0,
        });
      }
      downbeat.fleet.invalidate(["sessions"]);
    });
    await page.waitForFunction(() => window.downbeat.fleet.session("s4")?.queued === 2);
    const resizes = () => page.evaluate(() => window.keepers.get("s4")?.resizes ?? []);
    const opened = async () => {
      await show("s4");
      await page.getByText("And another").waitFor();
      await page.waitForFunction(() => window.terminals.peek("s4")?.drawn === true);
      await atRest("s4");
    };
    await opened();
    expect(await resizes()).toHaveLength(1);
    await show("s3");
    await drawn("s3", "proceed");
    await opened();
    expect(await resizes()).toHaveLength(1);
  });

  test("a dropped connection is restored with one copy of every line and the same position", async () => {
    await print("unique line\r\n");
    await drawn("s2", "unique line");
    await scroll(-100);
    const before = await place();
    await page.evaluate(() => window.keepers.get("s2")?.drop());
    await page.waitForFunction(() => window.keepers.get("s2")?.attached === 2);
    await print("after\r\n");
    await drawn("s2", "after");
    const count = await page.evaluate(() => {
      const buffer = window.terminals.peek("s2")?.screen.term.buffer.active;
      return Array.from({ length: buffer?.length ?? 0 }, (_, y) =>
        buffer?.getLine(y)?.translateToString(true),
      ).filter((line) => line === "❯ unique line").length;
    });
    expect(count).toBe(1);
    expect((await place()).viewportY).toBe(before.viewportY);
  });

  test("a snapshot lays the scrollbar out once, not for each line", async () => {
    await print("line\r\n".repeat(500));
    await page.waitForFunction(
      () => (window.terminals.peek("s2")?.screen.term.buffer.active.baseY ?? 0) > 500,
    );
    await page.evaluate(() => {
      const term = window.terminals.peek("s2")?.screen.term as unknown as Inside;
      const bar = term._core._viewport._scrollableElement;
      const layOut = bar.setScrollDimensions.bind(bar);
      window.laidOut = [];
      bar.setScrollDimensions = (size) => {
        window.laidOut.push(size.scrollHeight);
        layOut(size);
      };
      window.keepers.get("s2")?.drop();
    });
    await page.waitForFunction(() => window.keepers.get("s2")?.attached === 2);
    await print("after\r\n");
    await drawn("s2", "after");
    const { laidOut, expected } = await page.evaluate(() => {
      const term = window.terminals.peek("s2")?.screen.term;
      const { _core } = term as unknown as Inside;
      const cell = _core._renderService.dimensions.css.cell.height;
      return { laidOut: window.laidOut, expected: cell * (term?.buffer.active.length ?? 0) };
    });
    expect(laidOut.at(-1)).toBe(expected);
    expect(laidOut.length).toBeLessThan(50);
  });

  /** Records what each frame shows of a terminal, from its first line on. */
  const watchFrames = () =>
    page.evaluate(() => {
      window.seen = [];
      const look = () => {
        const shown = document.querySelector(".xterm-rows")?.textContent ?? "";
        const lines = window.terminals.peek("s2")?.screen.term.buffer.active.length ?? 0;
        const lastLine = shown.includes("THE LAST LINE");
        if (lastLine || window.seen.length > 0) window.seen.push({ lastLine, lines });
      };
      // Resize observers run after everything that draws in a frame, right before it is painted.
      const probe = document.body.appendChild(document.createElement("div"));
      probe.style.position = "fixed";
      new ResizeObserver(look).observe(probe);
      const frame = () => {
        probe.style.width = probe.style.width === "1px" ? "2px" : "1px";
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });

  test("a long snapshot fills the screen first, and its scrollback follows unseen", async () => {
    const LINES = 9_000;
    await watchFrames();
    await print(`${"line of output\r\n".repeat(LINES)}THE LAST LINE`);
    await drawn("s2", "THE LAST LINE");
    // Shown by a new terminal without content: the previous one was dropped for others.
    await show("s3");
    await drawn("s3", "proceed");
    await page.evaluate(() => {
      for (const id of ["s1", "s4", "s5", "s6", "s7", "s8"]) {
        window.terminals.take(id);
        window.terminals.park(id);
      }
    });
    await page.waitForFunction(() => window.terminals.peek("s2") === undefined);
    await page.evaluate(() => (window.seen = []));
    await show("s2");
    const whole = () =>
      page.waitForFunction(
        (lines) =>
          (window.terminals.peek("s2")?.screen.term.buffer.active.length ?? 0) > lines &&
          (window.seen.at(-1)?.lines ?? 0) > lines,
        LINES,
      );
    await whole();
    const seen = await page.evaluate(() => window.seen);
    expect(seen[0]?.lines).toBeLessThan(LINES / 10);
    expect(seen.filter(({ lastLine }) => !lastLine)).toEqual([]);
    // A new connection to the keeper draws everything again, behind the current picture.
    await page.evaluate(() => {
      window.seen = [];
      window.keepers.get("s2")?.drop();
    });
    await page.waitForFunction(() => window.keepers.get("s2")?.attached === 3);
    await print(" AND ON");
    await drawn("s2", "THE LAST LINE AND ON");
    await whole();
    expect(await page.evaluate(() => window.seen.every(({ lastLine }) => lastLine))).toBe(true);
  });

  test("lost output is detected and restored by a new attach", async () => {
    await page.evaluate(() => window.keepers.get("s2")?.lose("LOST ON THE WAY\r\n"));
    await print("next\r\n");
    await drawn("s2", "LOST ON THE WAY");
    expect(await page.evaluate(() => window.keepers.get("s2")?.attached)).toBe(2);
  });

  test("Shift+Enter is a newline for the agent, and Ctrl+letters are the agent's", async () => {
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Control+f");
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowUp");
    expect(await typed()).toBe("\x1b\r\x0b\x06\x1b\x1b[A");
  });

  test("a paste is bracketed and cannot end its own bracket", async () => {
    await print("\x1b[?2004hready");
    await drawn("s2", "ready");
    await page.evaluate(() => navigator.clipboard.writeText("two\nlines\x1b[201~evil"));
    await page.keyboard.press("Control+Shift+V");
    await page.waitForFunction(() => window.keepers.get("s2")?.typed.includes("evil"));
    expect(await typed()).toBe("\x1b[200~two\rlines[201~evil\x1b[201~");
  });

  test("the selection is copied, and a program can write the clipboard", async () => {
    await page.evaluate(() => window.terminals.peek("s2")?.screen.term.select(0, 0, 3));
    await page.keyboard.press("Control+Shift+C");
    await page.waitForFunction(async () => (await navigator.clipboard.readText()) !== "");
    const first = await page.evaluate(() => navigator.clipboard.readText());
    expect(first).toBe("╭──");
    await print(`\x1b]52;c;${Buffer.from("from the program").toString("base64")}\x07`);
    await page.waitForFunction(
      async () => (await navigator.clipboard.readText()) === "from the program",
    );
    expect(await typed()).toBe("");
  });

  test("a program in a terminal without the focus cannot write the clipboard", async () => {
    await page.evaluate(() => navigator.clipboard.writeText("mine"));
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await print(`\x1b]52;c;${Buffer.from("swapped").toString("base64")}\x07after`);
    await drawn("s2", "after");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("mine");
  });

  test("the find bar opens, counts, steps through matches, and returns the focus", async () => {
    await page.keyboard.press("Control+Shift+F");
    await page.getByRole("textbox", { name: "Find" }).fill("session-39");
    const found = page.getByRole("search").getByRole("status");
    await expect.poll(() => found.textContent()).toMatch(/of 11/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.keyboard.type("y");
    expect(await typed()).toBe("y");
  });

  test("a click on a place in a file opens it in the editor", async () => {
    await print("\r\n ❯ src/cart/totals.test.ts:41:23\r\n");
    await drawn("s2", "totals.test.ts:41");
    const at = await page.evaluate(() => {
      const term = window.terminals.peek("s2")?.screen.term;
      const box = term?.element?.querySelector(".xterm-screen")?.getBoundingClientRect();
      if (!term || !box) return null;
      for (let y = 0; y < term.rows; y += 1) {
        const line = term.buffer.active.getLine(term.buffer.active.viewportY + y);
        const x = line?.translateToString().indexOf("totals.test.ts:41") ?? -1;
        const cell = { width: box.width / term.cols, height: box.height / term.rows };
        if (x >= 0)
          return { x: box.x + (x + 0.5) * cell.width, y: box.y + (y + 0.5) * cell.height };
      }
      return null;
    });
    if (at === null) throw new Error("the place is not on the screen");
    await page.mouse.move(at.x, at.y);
    await page.locator(".link").getByText("src/cart/totals.test.ts:41").waitFor();
    await page.mouse.click(at.x, at.y);
    await page.getByText("src/cart/totals.test.ts opens in Zed").waitFor();
  });

  test("Ctrl+/ undoes in the program, and opens nothing", async () => {
    await page.keyboard.press("Control+/");
    await expect.poll(typed).toBe("\x1f");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("a wheel notch moves several lines", async () => {
    const before = await place();
    await page.mouse.move(400, 400);
    await page.mouse.wheel(0, -120);
    await page.waitForFunction(() => (window.terminals.peek("s2")?.above ?? 0) > 0);
    const after = await place();
    expect(before.viewportY - after.viewportY).toBeGreaterThanOrEqual(4);
    expect(before.viewportY - after.viewportY).toBeLessThanOrEqual(14);
  });

  test("the terminal follows a theme switch immediately", async () => {
    const ground = () =>
      page.evaluate(() => window.terminals.peek("s2")?.screen.term.options.theme?.background);
    expect(await ground()).toBe("#0e0f12");
    await page.evaluate(() => window.downbeat.theme.choose("light"));
    await expect.poll(ground).toBe("#ffffff");
  });

  test("another viewer's size letterboxes this one until it is focused again", async () => {
    const { cols, rows } = await place();
    await page.evaluate(() => window.keepers.get("s2")?.resize(60, 20));
    await page.waitForFunction(() => window.terminals.peek("s2")?.letterboxed);
    await page.setViewportSize({ width: 1300, height: 860 });
    expect(await place()).toMatchObject({ cols: 60, rows: 20 });
    await page.setViewportSize({ width: 1360, height: 860 });
    await page.keyboard.type("z");
    await page.waitForFunction((cols) => window.terminals.peek("s2")?.size?.cols === cols, cols);
    expect(await place()).toMatchObject({ cols, rows });
  });

  test("the last screen of a killed agent fills the space, without a frame around it", async () => {
    const wide = `${"word ".repeat(40)}END`;
    await print(`${wide}\r\nlast`);
    await drawn("s2", "last");
    await page.evaluate(() => {
      window.keepers.get("s2")?.exit(137);
      return window.downbeat.call("killSession", { id: "s2" });
    });
    await page.getByText("Killed just now").waitFor();
    const lies = () =>
      page.evaluate(() => {
        const terminal = window.terminals.peek("s2");
        const { element: box, term } = terminal?.screen ?? {};
        const fits = terminal?.screen.fits();
        return {
          fits: term?.cols === fits?.cols && term?.rows === fits?.rows,
          letterboxed: terminal?.letterboxed,
          sideways: (box?.scrollWidth ?? 0) - (box?.clientWidth ?? 0),
          above: terminal?.above,
        };
      });
    const whole = { fits: true, letterboxed: false, sideways: 0, above: 0 };
    await expect.poll(lies).toEqual(whole);
    await page.setViewportSize({ width: 950, height: 600 });
    await expect.poll(lies).toEqual(whole);
    await drawn("s2", "END");
    // After a resume, the keeper decides the size again.
    await page.evaluate(() => {
      window.keepers.get("s2")?.drop();
      return window.downbeat.call("resumeSession", { id: "s2" });
    });
    await page.waitForFunction(() => window.keepers.get("s2")?.attached === 2);
    await expect
      .poll(() =>
        page.evaluate(() => {
          const [term, keeper] = [
            window.terminals.peek("s2")?.screen.term,
            window.keepers.get("s2"),
          ];
          return term?.cols === keeper?.cols && term?.rows === keeper?.rows;
        }),
      )
      .toBe(true);
  });
});
