// @vitest-environment node
/// <reference types="node" />
// The frame of the window in a real browser, over the fixture host: keyboard, menus, dialogs, and
// that sixty changing sessions stay smooth. Left out where there is no Chromium, except in CI.
import type { Page } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { chromiumPath, withPages } from "./chromium";

const LONG = 90_000;

/** What is fetched right after the first paint (`loadSoon`). */
const PARTS = ["OpenDialog", "SessionView", "SettingsView", "CostView", "CompareView"];

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;

  const row = (name: string | RegExp) => page.getByRole("treeitem", { name });
  const open = async (query: string) => {
    await page.goto(`${inject("fixturePage")}?${query}`);
    await page.getByRole("treeitem").first().waitFor();
    // What comes after the first paint is there, too. Not "networkidle": on a busy machine that may
    // never be told.
    await page.waitForFunction((parts) => {
      const here = performance.getEntriesByType("resource").map(({ name }) => name);
      return parts.every((part) => here.some((name) => name.includes(`/${part}-`)));
    }, PARTS);
  };

  withPages(
    (fresh) => {
      page = fresh;
      page.setDefaultTimeout(20_000);
    },
    {},
    LONG,
  );

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

  test("Kill worker asks, kills, and offers the way back", async () => {
    await open("");
    await row(/^auth-module/).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Kill worker…" }).click();
    const dialog = page.getByRole("dialog", { name: /Kill worker/ });
    await dialog.getByRole("button", { name: "Kill worker" }).click();
    await row(/^auth-module, Killed/).waitFor();
    const toast = page.getByRole("status").filter({ hasText: "was killed" });
    await toast.getByRole("button", { name: "Resume" }).click();
    await toast.waitFor({ state: "detached" });
  });

  test("a toast stops offering what can no longer be done", async () => {
    await open("view=session:s2");
    await page.keyboard.press("Control+Shift+Backspace");
    await page.getByRole("dialog").getByRole("button", { name: "Kill worker" }).click();
    const toast = page.getByRole("status").filter({ hasText: "auth-module was killed" });
    await toast.getByRole("button", { name: "Resume" }).waitFor();
    await page.evaluate(() => window.downbeat.call("resumeSession", { id: "s2" }));
    await toast.getByRole("button", { name: "Resume" }).waitFor({ state: "detached" });
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
    await page
      .getByRole("button", { name: "Default shortcut for “Show or hide the sidebar”" })
      .click();
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

  test("Quit is found where the host can quit, and nothing else is taken for it", async () => {
    const type = async (text: string) => {
      await page.keyboard.press("Control+K");
      await page.getByPlaceholder("Find a session, a project or a command…").fill(text);
    };
    await open("desktop");
    await type("quit");
    expect(await page.getByRole("option").first().innerText()).toContain("Quit Downbeat");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Quit Downbeat?" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Q");
    await page.getByRole("dialog", { name: "Quit Downbeat?" }).waitFor();

    await open("");
    // A session whose branch has the letters here and there is not what was meant.
    await page.evaluate(() => {
      const { fleet } = window.downbeat;
      const like = fleet.session("s4");
      if (like) fleet.adopt({ ...like, id: "q1", title: "Other", branch: "queue/use-it-today" });
    });
    await type("quit");
    await page.getByText("No matches for “quit”").waitFor();
    await page.keyboard.press("Enter");
    await type("use-it");
    await page.getByRole("option", { name: /Other.*queue\/use-it-today/ }).waitFor();
    await page.getByPlaceholder("Find a session, a project or a command…").fill("theme: sys");
    await page.getByRole("option", { name: "Theme: system" }).waitFor();
  });

  test("trust is asked for, told, and shown", async () => {
    await open("");
    await row("infra").hover();
    const tip = page.getByRole("tooltip");
    await tip.getByText("Agents ask before they start").waitFor();
    expect(await tip.innerText()).toMatch(/^\/home\/ada\/code\/infra\nAgents ask/);
    // Beside the list: what is pointed at next is not covered.
    const [list, told] = [await row("infra").boundingBox(), await tip.boundingBox()];
    expect(told?.x).toBeGreaterThan((list?.x ?? 0) + (list?.width ?? 0));
    await row("infra").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Trust agents here…" }).click();
    const dialog = page.getByRole("dialog", { name: "Trust infra?" });
    await dialog.getByText("/home/ada/code/infra").waitFor();
    await dialog.getByRole("button", { name: "Yes, trust it" }).click();
    await page.getByText("infra is trusted").waitFor();
    await row("infra").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Ask before agents start" }).click();
    await page.getByText("Agents in infra ask before they start").waitFor();
  });

  test("what holds a project is named, and goes first; unsaved work is kept", async () => {
    await open("");
    await row("infra").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Remove project…" }).click();
    const held = page.getByRole("dialog", { name: "infra cannot be removed yet" });
    await held.getByText("1 session runs").waitFor();
    await held.getByText("Rotate deploy keys").waitFor();
    expect(await held.getByRole("button", { name: "Remove project" }).count()).toBe(0);
    await held.getByRole("button", { name: "Stop it" }).click();
    await held.getByText("2 ended sessions keep a worktree").waitFor();
    await held.getByRole("button", { name: "Remove ended…" }).click();
    const ended = page.getByRole("dialog", { name: "Remove 2 ended sessions" });
    await ended.getByRole("button", { name: "Remove 2" }).click();
    const kept = ended.getByRole("list");
    await kept.getByText("Rotate deploy keys").waitFor();
    await kept.getByText("3 files are not committed").waitFor();
    expect(await row(/Upgrade to Postgres/).count()).toBe(0);
    await kept.getByRole("button", { name: "Open" }).click();
    await page.getByRole("heading", { level: 1, name: "Rotate deploy keys" }).waitFor();
    // Once nothing holds it, the question is asked.
    await page.evaluate(() =>
      window.downbeat.call("removeWorkspace", { id: "s7", force: true, forget: true }),
    );
    await row("infra").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Remove project…" }).click();
    const sure = page.getByRole("dialog", { name: "Remove infra?" });
    await sure.getByRole("button", { name: "Remove project" }).click();
    await row("infra").waitFor({ state: "detached" });
  });

  test("a number out of bounds is put back, and that is said", async () => {
    await open("view=settings:general");
    const sessions = page.getByRole("spinbutton", { name: "Max running sessions" });
    await sessions.fill("0");
    await sessions.press("Tab");
    await page.getByRole("alert").getByText("from 1 to 500; it stays 60").waitFor();
    expect(await sessions.inputValue()).toBe("60");
    await sessions.fill("40");
    await sessions.press("Tab");
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  test("the open session takes the keyboard when it is asked for again", async () => {
    await open("view=session:s3");
    const inTerminal = () =>
      page.evaluate(() => document.activeElement?.closest(".xterm") !== null);
    await expect.poll(inTerminal).toBe(true);
    await page.getByRole("button", { name: "More" }).focus();
    expect(await inTerminal()).toBe(false);
    await row(/^api-endpoints/).click();
    await expect.poll(inTerminal).toBe(true);
  });

  test("a conductor's own question shows among its workers", async () => {
    await open("view=session:s1&tab=workers");
    await page.evaluate(() => {
      const { fleet } = window.downbeat;
      const conductor = fleet.session("s1");
      const question = fleet.session("s3")?.question ?? null;
      if (conductor) fleet.adopt({ ...conductor, status: "waiting", question });
    });
    const main = page.getByRole("main");
    await main.getByText("Asks for permission").waitFor();
    await expect.poll(() => main.getByRole("group", { name: "Answers" }).count()).toBe(2);
    await main.getByRole("button", { name: "Answer in the terminal" }).click();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest(".xterm") !== null))
      .toBe(true);
  });

  const choice = (name: string) => page.getByRole("button", { name, exact: true });
  const given = () => page.evaluate(() => window.engine.answers);
  /** What the agent of `s3` asks from now on. */
  const ask = (text: string, options: string[]) =>
    page.evaluate(
      ([text, options]) => {
        const question = { kind: "choice" as const, text, options };
        const statusSince = new Date().toISOString();
        window.downbeat.fleet.adopt(window.engine.edit("s3", { question, statusSince }));
      },
      [text, options] as const,
    );

  test("a question is answered by one button, once, and closes by itself", async () => {
    await open("view=session:s3");
    const panel = page.getByRole("region", { name: "Open question" });
    await panel.getByRole("group", { name: "Answers" }).waitFor();
    // The keyboard is in the terminal, never on an answer.
    expect(await page.evaluate(() => document.activeElement?.closest(".answers"))).toBeNull();
    await expect.poll(() => choice("Yes").getAttribute("aria-disabled")).toBe("false");
    await choice("Yes").dblclick();
    await panel.waitFor({ state: "detached" });
    expect(await given()).toEqual(["s3: Yes"]);
    // A second one would have been told as refused.
    expect(await page.getByRole("alert").count()).toBe(0);
    await row(/^api-endpoints, Running/).waitFor();
  });

  test("a button that has just come answers nothing", async () => {
    await open("view=attention");
    await expect.poll(() => choice("Yes").getAttribute("aria-disabled")).toBe("false");
    await page.evaluate(async () => {
      const question = { kind: "permission" as const, text: "Bash: rm", options: ["Yes", "No"] };
      window.downbeat.fleet.adopt(window.engine.edit("s3", { question }));
      await new Promise((done) => setTimeout(done));
      document.querySelector<HTMLElement>(".answers button")?.click();
    });
    await page.getByText("Bash: rm").first().waitFor();
    await expect.poll(() => choice("No").getAttribute("aria-disabled")).toBe("false");
    expect(await given()).toEqual([]);
    // By keyboard; a key that is held down presses once.
    await choice("No").focus();
    await page.keyboard.down("Enter");
    await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await expect.poll(given).toEqual(["s3: No"]);
  });

  test("in the queue a digit answers, and a reply is text", async () => {
    await open("");
    await page.getByRole("button", { name: /^Needs you/ }).focus();
    await page.keyboard.press("Enter");
    const at = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await expect.poll(at).toContain("Upgrade to Postgres 18");
    await page.keyboard.press("ArrowDown");
    await expect.poll(at).toContain("api-endpoints");
    await expect
      .poll(() => page.locator("[data-answer='3']").getAttribute("aria-disabled"))
      .toBe("false");
    // The list takes none in its first moment.
    const three = async () => {
      await page.keyboard.press("3");
      return given();
    };
    await expect.poll(three).toEqual(["s3: No"]);
    await open("world=every&view=attention");
    const reply = page.getByRole("textbox", { name: /Asks in prose/ });
    await reply.fill("");
    await reply.pressSequentially("jk 12");
    expect(await reply.inputValue()).toBe("jk 12");
    expect(await given()).toEqual([]);
  });

  test("an answer that may not have arrived is told, with the way to the terminal", async () => {
    await open("view=session:s1&tab=workers");
    await page.evaluate(() => (window.engine.deaf = true));
    await ask("Which one?", ["One", "Two", "Three", "Four", "Five"]);
    const card = page.getByRole("article", { name: "api-endpoints" });
    const more = card.getByRole("button", { name: "2 more…" });
    await expect.poll(() => more.getAttribute("aria-disabled")).toBe("false");
    await more.click();
    await page.getByRole("menuitem", { name: "Five" }).click();
    const toast = page.getByRole("status").filter({ hasText: "may not have arrived" });
    await toast.getByRole("button", { name: "Open terminal" }).click();
    await page.getByRole("heading", { level: 1, name: "api-endpoints" }).waitFor();
    expect(await given()).toEqual(["s3: Five"]);
    await choice("Five").waitFor();
  });

  test("a stopped session is no failure, sessions that read the same are told apart", async () => {
    await open("view=session:s3");
    await page.evaluate(() => window.downbeat.call("stopSessions", { id: "s3" }));
    await row(/^api-endpoints, Stopped/).waitFor();
    await page.getByText(/^Stopped just now/).waitFor();
    await page.evaluate(() =>
      window.downbeat.call("editSession", { id: "s4", title: "auth-module" }),
    );
    await row(/^auth-module, unit-tests, Idle/).waitFor();
    await row(/^auth-module, auth-module, Running/).waitFor();
  });

  test("text that the dialog kept is there to go on with or to be typed over", async () => {
    await open("");
    await page.keyboard.press("Alt+Shift+N");
    const task = page.getByRole("textbox", { name: "Task" });
    await task.fill("Éclair 日本語\nmore");
    await expect
      .poll(() => page.getByRole("textbox", { name: "Title" }).getAttribute("placeholder"))
      .toBe("Éclair 日本語");
    await page.keyboard.press("Escape");
    await task.waitFor({ state: "detached" });
    await page.keyboard.press("Alt+Shift+N");
    await expect.poll(() => task.inputValue()).toBe("Éclair 日本語\nmore");
    await page.keyboard.type("Cart");
    expect(await task.inputValue()).toBe("Cart");
  });

  test("work done since a removal was asked is shown before it is removed", async () => {
    await open("view=session:s7");
    await page.evaluate(() => window.engine.hideWork("s7"));
    await row(/^Rotate deploy keys/).focus();
    await page.keyboard.press("Delete");
    const dialog = page.getByRole("dialog", { name: /Remove/ });
    await dialog.getByText("Nothing would be lost").waitFor();
    await page.evaluate(() => window.engine.showWork());
    await dialog.getByRole("button", { name: "Remove", exact: true }).click();
    await dialog.getByText("src/rotate.ts").waitFor();
    await dialog.getByRole("button", { name: "Save and remove" }).click();
    await page.getByText("worktree removed").waitFor();
  });

  test("a card shows whole lines only, the last ones; a long one is told in full", async () => {
    await open("view=session:s1&tab=workers");
    // A question would make its neighbours taller.
    await page.evaluate(() => {
      const change = { status: "running" as const, question: null };
      window.downbeat.fleet.adopt(window.engine.edit("s3", change));
    });
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
    const long = last.getByText("Bash(npx vitest");
    await long.scrollIntoViewIfNeeded();
    // What scrolls under the pointer hides its tooltip, and the page is told a frame later.
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    await long.hover();
    await page.getByRole("tooltip").getByText("--reporter=verbose").waitFor();
  });

  test("a change of one session touches its rows alone", async () => {
    await open("world=60&view=session:s3");
    /** What is drawn anew after a change of `m3`: ids of rows, and names of other places. */
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
        // The reads that a change asks for are over when one of them that was asked last is.
        while (row?.getAttribute("aria-label") === before) {
          await new Promise((done) => requestAnimationFrame(done));
        }
        for (let frame = 0; frame < 12; frame += 1) {
          await new Promise((done) => requestAnimationFrame(done));
        }
        observer.disconnect();
        return { places: [...places].sort(), few: records < 30 };
      });
    // The clock may have ticked meanwhile, which is every row's to show.
    await expect.poll(touched).toEqual({ places: ["FOOTER", "m3"], few: true });
  });

  test("a conductor's header keeps its name and its menu in every width", async () => {
    await open("view=session:s1");
    const more = page.getByRole("button", { name: "More" });
    for (const sidebar of [272, 420]) {
      await page.evaluate((width) => window.downbeat.view.resizeSidebar(width), sidebar);
      for (const width of [1360, 1181, 1000, 905, 760, 580, 400]) {
        await page.setViewportSize({ width, height: 760 });
        const inside = async () => {
          const box = await more.boundingBox();
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          const name = await page.getByRole("heading", { level: 1 }).boundingBox();
          return {
            menu: box !== null && box.x + box.width <= width,
            sideways: wide > width,
            name: (name?.width ?? 0) >= 48,
          };
        };
        await expect
          .poll(inside, { message: `${width} with ${sidebar}` })
          .toEqual({ menu: true, sideways: false, name: true });
      }
      await page.setViewportSize({ width: 1360, height: 860 });
    }
  });

  test("the keyboard is never left nowhere", async () => {
    await open("view=session:s3");
    const at = () =>
      page.evaluate(() => {
        const one = document.activeElement;
        const name = one?.getAttribute("aria-label") ?? one?.textContent ?? "";
        return one?.getAttribute("data-row") ?? (one === document.body ? "nowhere" : name.trim());
      });
    // A row that goes, by a dialog and by itself.
    await page.evaluate(() => window.engine.hideWork("s7"));
    await row(/^Rotate deploy keys/).focus();
    await page.keyboard.press("Delete");
    const dialog = page.getByRole("dialog", { name: /Remove/ });
    await dialog.getByText("Nothing would be lost").waitFor();
    await dialog.getByRole("checkbox", { name: /conversation/ }).check();
    await page.keyboard.press("Control+Enter");
    await row(/^Rotate deploy keys/).waitFor({ state: "detached" });
    await expect.poll(at).toBe("s6");
    await row(/^Fix flaky/).focus();
    await page.evaluate(() => window.downbeat.call("forgetSession", { id: "s5" }));
    await expect.poll(at).toBe("p2");
    // A message that is taken out of the queue gives it to the next one.
    await page.evaluate(() => window.downbeat.view.open("s2"));
    const remove = page.getByRole("button", { name: "Delete the message" });
    await remove.first().focus();
    const left = (await remove.count()) - 1;
    await page.keyboard.press("Enter");
    await expect.poll(() => remove.count()).toBe(left);
    await expect.poll(at).toBe("Delete the message");
    // A question that was answered: to what is beside it, never to another answer.
    await page.evaluate(() => window.downbeat.view.show({ kind: "attention" }));
    await expect.poll(() => choice("Yes").getAttribute("aria-disabled")).toBe("false");
    await choice("Yes").focus();
    await page.keyboard.press("Enter");
    await choice("Yes").waitFor({ state: "detached" });
    await expect.poll(at).not.toBe("nowhere");
    expect(
      await page.evaluate(() => document.activeElement?.closest(".answers, .danger") ?? null),
    ).toBeNull();
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
