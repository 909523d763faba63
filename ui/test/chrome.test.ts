// @vitest-environment node
/// <reference types="node" />
// The frame of the window in a real browser, over the fixture host: keyboard, menus, dialogs, and
// that sixty changing sessions stay smooth. Left out where there is no Chromium, except in CI.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const path = process.env.CHROMIUM ?? PATHS.find((candidate) => existsSync(candidate));
const LONG = 90_000;

describe.skipIf(path === undefined && !process.env.CI)("in Chromium", { timeout: LONG }, () => {
  let server: ViteDevServer;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];

  const row = (name: string | RegExp) => page.getByRole("treeitem", { name });
  const open = async (query: string) => {
    await page.goto(`${server.resolvedUrls?.local[0] ?? ""}dev/?${query}`);
    await page.getByRole("treeitem").first().waitFor();
  };

  beforeAll(async () => {
    server = await createServer({
      configFile: fileURLToPath(new URL("../vite.config.ts", import.meta.url)),
      server: { port: 0, host: "127.0.0.1", hmr: false, watch: null },
      cacheDir: fileURLToPath(new URL("../../node_modules/.vite-tests-chrome", import.meta.url)),
      logLevel: "error",
    });
    await server.listen();
    browser = await chromium.launch({
      executablePath: path ?? PATHS[0] ?? "",
      args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
    });
    // The first visit makes the server prepare what the page imports, and reload it meanwhile.
    page = await browser.newPage();
    await open("view=session:s2");
    await page.waitForLoadState("networkidle");
    await page.close();
  }, LONG);

  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  beforeEach(async () => {
    errors.length = 0;
    const context = await browser.newContext({ viewport: { width: 1360, height: 860 } });
    page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on("pageerror", (error) => errors.push(error.message));
  }, LONG);

  afterEach(async () => {
    await page.context().close();
    expect(errors).toEqual([]);
  });

  test("the tree is walked, opened and closed by keys, with one tab stop", async () => {
    await open("");
    await row("storefront").focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focusedRow()).toBe("s1");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => row(/auth-module/).count()).toBe(0);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => focusedRow()).toBe("s2");
    expect(await page.locator('[role="treeitem"][tabindex="0"]').count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "auth-module" }).waitFor();
  });

  test("Kill Worker asks, kills, and offers what comes next", async () => {
    await open("");
    await row(/^auth-module/).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Kill Worker…" }).click();
    const dialog = page.getByRole("dialog", { name: /Kill Worker/ });
    await dialog.getByRole("button", { name: "Kill Worker" }).click();
    await row(/^auth-module, Killed/).waitFor();
    await page.getByRole("button", { name: "Remove worktree…" }).first().click();
    await page.getByRole("dialog", { name: /Remove/ }).waitFor();
  });

  test("a toast stops offering what can no longer be done", async () => {
    await open("view=session:s2");
    await page.keyboard.press("Control+Shift+Backspace");
    await page.getByRole("dialog").getByRole("button", { name: "Kill Worker" }).click();
    const toast = page.getByRole("status").filter({ hasText: "auth-module was killed" });
    await toast.getByRole("button", { name: "Remove worktree…" }).waitFor();
    await page.evaluate(() => window.downbeat.call("removeWorkspace", { id: "s2", force: true }));
    await toast.getByRole("button", { name: "Remove worktree…" }).waitFor({ state: "detached" });
    expect(await toast.count()).toBe(1);
  });

  test("keys are chosen by pressing them, and taken from another command only when told", async () => {
    await open("view=settings:keys");
    const keys = (command: string) =>
      page.getByRole("button", { name: new RegExp(`^Keys of “${command}”`) });
    await keys("Search or run a command").click();
    // What a field needs is refused; Escape leaves all as it was.
    await page.keyboard.press("Control+C");
    await page.getByText("Text fields and terminals need that one.").waitFor();
    await page.keyboard.press("Escape");
    expect(await keys("Search or run a command").innerText()).toContain("Ctrl K");

    await keys("Search or run a command").click();
    await page.keyboard.press("Control+P");
    await keys("Search or run a command").getByText("Ctrl P").first().waitFor();
    await page.keyboard.press("Control+K");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("Control+P");
    await page
      .getByRole("dialog")
      .getByRole("option", { name: /Add project/ })
      .waitFor();
    await page.keyboard.press("Escape");

    await keys("Stop session").click();
    await page.keyboard.press("Control+B");
    const conflict = page.getByRole("alert").filter({ hasText: "Show or hide the sidebar" });
    await conflict.getByRole("button", { name: "Use it here" }).click();
    await keys("Stop session").getByText("Ctrl B").waitFor();
    await keys("Show or hide the sidebar").getByText("none").waitFor();

    // Its usual keys are another's now: the same question.
    await page.getByRole("button", { name: "Usual keys for “Show or hide the sidebar”" }).click();
    await page.getByRole("alert").filter({ hasText: "Stop session" }).waitFor();

    await page.getByRole("button", { name: "Reset all" }).click();
    await keys("Search or run a command").getByText("Ctrl K").waitFor();
    await keys("Show or hide the sidebar").getByText("Ctrl B").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await keys("Search or run a command").getByText("Ctrl P").first().waitFor();
  });

  test("a removal names what is not safe, saves it, and can be undone", async () => {
    await open("view=session:s7");
    await row(/^Rotate deploy keys/).focus();
    await page.keyboard.press("Delete");
    const dialog = page.getByRole("dialog", { name: /Remove/ });
    await dialog.getByText("src/rotate.ts").waitFor();
    expect(await dialog.getByRole("checkbox", { name: /^Branch/ }).isChecked()).toBe(false);
    await dialog.getByRole("button", { name: "Save and remove" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("work restored").waitFor();
  });

  test("a new session is made by keys alone, after its set-up was approved", async () => {
    await open("view=session:s6");
    await page.keyboard.press("Alt+Shift+N");
    const dialog = page.getByRole("dialog", { name: "New session" });
    await page.keyboard.type('Fix "quotes" & <b>tags</b>');
    await dialog.getByText("feature/fix-quotes-b-tags-b").first().waitFor();
    expect(await dialog.getByRole("button", { name: /Create session/ }).isDisabled()).toBe(true);
    await dialog.getByRole("checkbox").check();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { level: 1, name: 'Fix "quotes" & <b>tags</b>' }).waitFor();
    await dialog.waitFor({ state: "detached" });
  });

  test("the base is found by typing", async () => {
    await open("dialog=%7B%22kind%22%3A%22newSession%22%7D");
    const base = page.getByRole("combobox", { name: "Base" });
    await base.click();
    await page.getByRole("option", { name: /feature\/checkout-rewrite/ }).waitFor();
    await base.fill("release");
    await expect.poll(() => page.getByRole("option").count()).toBe(1);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByText("origin/release/2026-11 at 4e1f09a").waitFor();
    await expect.poll(() => base.inputValue()).toBe("origin/release/2026-11");
  });

  test("the palette finds sessions and commands, also from a terminal", async () => {
    await open("view=session:s3");
    await page.locator(".xterm-screen").click();
    await page.keyboard.press("Control+Shift+K");
    await page.keyboard.type("postgres");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Upgrade to Postgres 18" }).waitFor();
    await page.keyboard.press("Control+Shift+K");
    await page.keyboard.type("theme: light");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.evaluate(() => document.documentElement.dataset.theme))
      .toBe("light");
  });

  test("next that needs me drains the queue", async () => {
    await open("");
    await page.keyboard.press("Control+Shift+A");
    await page.getByRole("heading", { level: 1, name: "Upgrade to Postgres 18" }).waitFor();
    await page.keyboard.press("Control+Shift+A");
    await page.getByRole("heading", { level: 1, name: "api-endpoints" }).waitFor();
  });

  test("a second click on a conductor shows its workers", async () => {
    await open("view=session:s1");
    await row(/^Checkout rewrite/).click();
    await expect.poll(() => page.evaluate(() => window.downbeat.view.tabOf("s1"))).toBe("workers");
    await row(/^Checkout rewrite/).click();
    await expect.poll(() => page.evaluate(() => window.downbeat.view.tabOf("s1"))).toBe("terminal");
  });

  test("a card shows whole lines only, the last ones; a long one is told in full", async () => {
    await open("view=session:s1&tab=workers");
    const last = page.getByRole("group", { name: "Last lines of unit-tests" });
    await last.getByText("Brewed for 2s").waitFor();
    for (const width of [1360, 1000, 400]) {
      await page.setViewportSize({ width, height: 860 });
      const seen = await last.evaluate((box) => {
        const pre = box.querySelector("pre")?.getBoundingClientRect();
        const lines = [...box.querySelectorAll(".line")].map((line) =>
          line.getBoundingClientRect(),
        );
        const shown = lines.filter((line) => pre && line.left < pre.right && line.right > pre.left);
        return {
          cut: shown.filter((line) => pre && (line.top < pre.top || line.bottom > pre.bottom))
            .length,
          wide: shown.filter((line) => pre && line.right > pre.right + 1).length,
          shown: shown.length,
          hidden: lines.length - shown.length,
        };
      });
      expect(seen).toMatchObject({ cut: 0, wide: 0 });
      expect(seen.shown).toBeGreaterThan(1);
      if (width === 1360) expect(seen.hidden).toBeGreaterThan(0);
    }
    await last.getByText("Bash(npx vitest").hover();
    await page.getByRole("tooltip").getByText("--reporter=verbose").waitFor();
  });

  test("sixty sessions that change all the time leave the page free", async () => {
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
    // Generous: the machine may build something else meanwhile. A stutter would be far above.
    expect(longest).toBeLessThan(400);
  });

  const focusedRow = () => page.evaluate(() => document.activeElement?.getAttribute("data-row"));
});
