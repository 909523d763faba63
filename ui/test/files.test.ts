// @vitest-environment node
/// <reference types="node" />
// Files in prompts in a real browser: names that an `@` offers, pasted pictures, and files dropped onto the page.
import type { Locator, Page } from "playwright-core";
import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

/** A file that a page makes for itself: so many bytes, or a picture with noise, which does not compress. */
interface Made {
  name: string;
  type: string;
  bytes?: number;
  /** The length of the picture's sides. */
  side?: number;
}

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open } = withApp((fresh) => (page = fresh));

  const message = () => page.getByRole("textbox", { name: "Message to auth-module" });
  const list = () => page.getByRole("listbox", { name: "Files" });
  const chosen = () => list().locator('[aria-selected="true"]').getAttribute("aria-label");
  const typed = () => page.evaluate(() => window.keepers.get("s2")?.typed ?? "");
  const alerts = () => page.locator(".toaster [role=alert]");

  const openMessage = async (more = "") => {
    await open(`view=session:s2${more}`);
    await message().click();
  };

  /** Dispatches a paste or a drop with files, or with text and files, as the system would. */
  const bring = (to: Locator, how: "paste" | "drop", files: Made[], text = "") =>
    to.evaluate(
      async (element, { how, files, text }) => {
        const data = new DataTransfer();
        for (const { name, type, bytes = 1, side } of files) {
          let content: BlobPart = new Uint8Array(bytes);
          if (side !== undefined) {
            const canvas = new OffscreenCanvas(side, side);
            const context = canvas.getContext("2d");
            const noise = new ImageData(side, side);
            for (let at = 0; at < noise.data.length; at += 1) noise.data[at] = Math.random() * 256;
            context?.putImageData(noise, 0, 0);
            content = await canvas.convertToBlob();
          }
          data.items.add(new File([content], name, { type }));
        }
        if (text !== "") data.setData("text/plain", text);
        const options = { bubbles: true, cancelable: true };
        if (how === "paste") {
          element.dispatchEvent(new ClipboardEvent("paste", { ...options, clipboardData: data }));
          return;
        }
        for (const kind of ["dragover", "drop"])
          element.dispatchEvent(new DragEvent(kind, { ...options, dataTransfer: data }));
      },
      { how, files, text },
    );

  /** The names and sizes of the files that the engine was given from here on. */
  const watchAttached = () =>
    page.evaluate(() => {
      const given: { name: string; bytes: number }[] = [];
      const { platform } = window.downbeat;
      const before = platform.call;
      platform.call = ((op: string, request: { name: string; data: string }) => {
        if (op === "attachFile")
          given.push({ name: request.name, bytes: atob(request.data).length });
        return before(op as "attachFile", request);
      }) as typeof before;
      Object.assign(window, { given });
    });
  const attached = () =>
    page.evaluate(() => (window as unknown as { given: { name: string; bytes: number }[] }).given);

  test("an @ offers files, which keys choose", async () => {
    await openMessage();
    await page.keyboard.type("Look at @cart");
    await list().getByRole("option", { name: "src/cart/cart.ts" }).waitFor();
    await expect.poll(chosen).toBe("src/cart/Cart.svelte");
    await page.keyboard.press("ArrowDown");
    expect(await chosen()).toBe("src/cart/cart.ts");
    const active = await message().getAttribute("aria-activedescendant");
    expect(await page.locator(`[id="${active}"]`).getAttribute("aria-label")).toBe(
      "src/cart/cart.ts",
    );
    await page.keyboard.press("Enter");
    expect(await message().inputValue()).toBe("Look at @src/cart/cart.ts ");
    await list().waitFor({ state: "detached" });
    // The arrow goes around; Tab inserts, too. Blanks are quoted.
    await page.keyboard.type("and @notes.m");
    await expect.poll(chosen).toBe("docs/my notes.md");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Tab");
    expect(await message().inputValue()).toBe('Look at @src/cart/cart.ts and @"docs/my notes.md" ');
    expect(await message().getAttribute("aria-activedescendant")).toBeNull();
    // Without a list, Enter sends.
    await page.keyboard.press("Enter");
    await expect.poll(() => message().inputValue()).toBe("");
  });

  test("the list stays while the session changes", async () => {
    await openMessage();
    await page.keyboard.type("Look at @cart");
    await list().getByRole("option", { name: "src/cart/cart.ts" }).waitFor();
    await page.evaluate(async () => {
      const lastActivityAt = new Date().toISOString();
      window.downbeat.fleet.adopt(window.engine.edit("s2", { lastActivityAt, queued: 1 }));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    });
    expect(await list().getByRole("option", { name: "src/cart/cart.ts" }).isVisible()).toBe(true);
  });

  test("the list stands at its @, whatever is written before it", async () => {
    await open(`dialog=${encodeURIComponent(JSON.stringify({ kind: "newSession" }))}`);
    const task = page.getByRole("textbox", { name: "Task" });
    await task.click();
    await page.keyboard.type("@");
    await list().getByRole("option").first().waitFor();
    const at = async () => (await list().boundingBox()) ?? { x: 0, y: 0 };
    const first = await at();
    await page.keyboard.press("Escape");
    await task.fill("one\nThe first words ");
    await page.keyboard.press("End");
    await page.keyboard.type("@");
    await list().getByRole("option").first().waitFor();
    const second = await at();
    expect(second.y - first.y).toBeGreaterThan(18);
    expect(second.y - first.y).toBeLessThan(27);
    // As wide as the words: Chromium measures them the same way on a canvas.
    const width = await task.evaluate((field) => {
      const context = document.createElement("canvas").getContext("2d");
      const { fontSize, fontFamily } = getComputedStyle(field);
      if (context) context.font = `${fontSize} ${fontFamily}`;
      return context?.measureText("The first words ").width ?? 0;
    });
    expect(Math.abs(second.x - first.x - width)).toBeLessThan(6);
  });

  test("the pointer chooses, and the field keeps the focus", async () => {
    await openMessage();
    await page.keyboard.type("@");
    await page.getByText("More files match. Type more letters.").waitFor();
    await list().getByRole("option", { name: "package.json" }).click();
    expect(await message().inputValue()).toBe("@package.json ");
    await page.keyboard.type("is old");
    expect(await message().inputValue()).toBe("@package.json is old");
  });

  test("Escape closes the list, and only the list", async () => {
    await open(`dialog=${encodeURIComponent(JSON.stringify({ kind: "newSession" }))}`);
    const task = page.getByRole("textbox", { name: "Task" });
    await task.click();
    await page.keyboard.type("Split @totals");
    await list().getByRole("option").first().waitFor();
    await page.keyboard.press("Escape");
    await list().waitFor({ state: "detached" });
    await page.keyboard.type(".t");
    await page.keyboard.press("Enter");
    expect(await task.inputValue()).toBe("Split @totals.t\n");
    await page.keyboard.type("@totals.t");
    // Its own search, in the repository of the project.
    await expect.poll(chosen).toBe("src/cart/totals.ts");
    await page.keyboard.press("Enter");
    expect(await task.inputValue()).toBe("Split @totals.t\n@src/cart/totals.ts ");
    await page.keyboard.press("Escape");
    await task.waitFor({ state: "detached" });
  });

  test("what is no file is sent as it is", async () => {
    await openMessage();
    await page.keyboard.type("Ask ada@example.com or @nobody-knows");
    await expect
      .poll(() =>
        page.evaluate(() => window.engine.asked.filter((op) => op === "findFiles").length),
      )
      .toBeGreaterThan(0);
    await expect.poll(() => list().count()).toBe(0);
    await page.keyboard.press("Enter");
    await expect.poll(() => message().inputValue()).toBe("");
    await page.getByText("Ask ada@example.com or @nobody-knows").waitFor();
  });

  test("axe finds nothing in the list, in both themes", async () => {
    await openMessage("&theme=system");
    await page.keyboard.type("@cart");
    await expect.poll(chosen).toBe("src/cart/Cart.svelte");
    await page.evaluate(axe.source);
    for (const theme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme);
      const found = await page.evaluate(async () => {
        const { violations } = await window.axe.run("[data-region=composer]", {
          resultTypes: ["violations"],
        });
        return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
      });
      expect(found, theme).toEqual([]);
    }
  });

  test("a pasted picture becomes its path, and typing goes on meanwhile", async () => {
    await openMessage("&trouble=slow");
    await page.keyboard.type("Seelater");
    for (let letter = 0; letter < 5; letter += 1) await page.keyboard.press("ArrowLeft");
    await bring(message(), "paste", [{ name: "shot.png", type: "image/png" }]);
    await page.getByText("Attaching shot.png…").first().waitFor();
    await page.keyboard.type(" here:");
    await expect
      .poll(() => message().inputValue())
      .toBe("See here: /home/ada/.local/share/downbeat/attached/1/shot.png later");
    expect(await page.getByText("Attaching").count()).toBe(0);
    await page.keyboard.type("or ");
    expect(await message().inputValue()).toMatch(/shot\.png or later$/);
  });

  test("a picture that is too large is made smaller; another file is told", async () => {
    await openMessage();
    await watchAttached();
    await bring(message(), "paste", [{ name: "large.png", type: "image/png", side: 2100 }]);
    await expect.poll(() => message().inputValue()).toMatch(/\/large\.webp $/);
    const [picture] = await attached();
    expect(picture?.bytes).toBeLessThanOrEqual(1 << 20);
    expect(picture?.bytes).toBeGreaterThan(1 << 14);
    await bring(message(), "paste", [
      { name: "core.dump", type: "application/octet-stream", bytes: 3_400_000 },
      { name: "notes.txt", type: "text/plain" },
    ]);
    await expect.poll(() => alerts().innerText()).toContain("core.dump is too large to attach");
    expect(await alerts().innerText()).toContain("It has 3.4 MB; at most 1.0 MB can be attached.");
    await expect.poll(() => message().inputValue()).toMatch(/large\.webp \S+\/notes\.txt $/);
  });

  test("pasted text stays text, even with a picture of it", async () => {
    await openMessage();
    await watchAttached();
    await bring(message(), "paste", [{ name: "image.png", type: "image/png" }], "total 12");
    await page.locator(".xterm-helper-textarea").focus();
    await bring(
      page.locator(".xterm-helper-textarea"),
      "paste",
      [{ name: "image.png", type: "image/png" }],
      "total 12",
    );
    await expect.poll(typed).toContain("total 12");
    expect(await attached()).toEqual([]);
  });

  test("files that are pasted or dropped into a terminal are pasted as quoted paths", async () => {
    await open("view=session:s2");
    const terminal = page.locator(".xterm-helper-textarea");
    await terminal.waitFor({ state: "attached" });
    await page.waitForFunction(() => window.terminals.peek("s2")?.drawn === true);
    await bring(terminal, "paste", [{ name: "my shot.png", type: "image/png" }]);
    await expect.poll(typed).toContain("'/home/ada/.local/share/downbeat/attached/1/my shot.png' ");
    await bring(page.locator(".xterm-screen"), "drop", [
      { name: "a.log", type: "text/plain" },
      { name: "b.log", type: "text/plain" },
    ]);
    await expect.poll(typed).toMatch(/\/attached\/2\/a\.log \S+\/attached\/3\/b\.log $/);
    // What nothing takes does not replace the page.
    await bring(page.locator("aside").first(), "drop", [{ name: "c.log", type: "text/plain" }]);
    await message().waitFor();
    expect(await typed()).not.toContain("c.log");
  });

  test("a path is not inserted for another session", async () => {
    await openMessage("&trouble=slow");
    await bring(message(), "drop", [{ name: "shot.png", type: "image/png" }]);
    await page.evaluate(() => window.downbeat.view.open("s3"));
    await page.getByText("The file is attached, but its field is gone").waitFor();
    await page.getByText(/Agents read it at \S+\/shot\.png/).waitFor();
    const other = page.getByRole("textbox", { name: "Message to api-endpoints" });
    expect(await other.inputValue()).toBe("");
  });
});
