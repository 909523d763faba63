// @vitest-environment node
/// <reference types="node" />
// Questions of agents and how they are answered, in a real browser: once, and never by accident.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open, row } = withApp((fresh) => (page = fresh));
  const choice = (name: string) => page.getByRole("button", { name, exact: true });
  const given = () => page.evaluate(() => window.engine.answers);
  /** Changes the question of `s3`. */
  const ask = (text: string, options: string[]) =>
    page.evaluate(
      ([text, options]) => {
        const question = { kind: "choice" as const, text, options };
        const statusSince = new Date().toISOString();
        window.downbeat.fleet.adopt(window.engine.edit("s3", { question, statusSince }));
      },
      [text, options] as const,
    );

  test("the command for the next session that needs me drains the queue", async () => {
    await open("");
    await page.keyboard.press("Control+Shift+A");
    await page.getByRole("heading", { level: 1, name: "Upgrade to Postgres 18" }).waitFor();
    await page.keyboard.press("Control+Shift+A");
    await page.getByRole("heading", { level: 1, name: "api-endpoints" }).waitFor();
  });

  test("what needs me is snoozed by key and by time, and shown again", async () => {
    await open("view=attention");
    const items = () => page.locator("li[data-card]").count();
    await expect.poll(items).toBe(2);
    await page.keyboard.press("z");
    await expect.poll(items).toBe(1);
    await page.getByRole("button", { name: "Snooze", exact: true }).click();
    await page.getByRole("menuitem", { name: "Until tomorrow, 09:00" }).click();
    await page.getByText("Nothing needs you").waitFor();
    await page.getByText("2 snoozed").click();
    await page.getByRole("button", { name: "Show now" }).first().click();
    await expect.poll(items).toBe(1);
    await page.getByText("1 snoozed").waitFor();
  });

  test("a conductor's own question appears among its workers", async () => {
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

  test("the answer command finds the question in a band", async () => {
    await page.setViewportSize({ width: 1000, height: 760 });
    await open("view=session:s3");
    await expect.poll(() => choice("Yes").getAttribute("aria-disabled")).toBe("false");
    await page.keyboard.press("Alt+Shift+A");
    const at = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await expect.poll(at).toContain("Yes");
    await page.keyboard.press("3");
    await expect.poll(given).toEqual(["s3: No"]);
  });

  test("a countdown is shown but not announced each second", async () => {
    await open("world=every&view=session:e26");
    const band = page.locator("main [data-strip]");
    const shown = async () => /in (\d+m )?\d+s/.exec((await band.textContent()) ?? "")?.[0];
    await expect.poll(shown).toBeDefined();
    const before = await shown();
    await expect.poll(shown).not.toBe(before);
    const spoken = await band.locator("[role=alert], [role=status]").textContent();
    expect(spoken).toMatch(/Retrying/);
    expect(spoken).not.toMatch(/in \d/);
  });

  test("one button answers a question once, and it closes by itself", async () => {
    await open("view=session:s3");
    const panel = page.getByRole("region", { name: "Open question" });
    await panel.getByRole("group", { name: "Answers" }).waitFor();
    // The focus is in the terminal, never on an answer.
    expect(await page.evaluate(() => document.activeElement?.closest(".answers"))).toBeNull();
    await expect.poll(() => choice("Yes").getAttribute("aria-disabled")).toBe("false");
    await choice("Yes").dblclick();
    await panel.waitFor({ state: "detached" });
    expect(await given()).toEqual(["s3: Yes"]);
    // A second answer would have been reported as refused.
    expect(await page.getByRole("alert").count()).toBe(0);
    await row(/^api-endpoints, Running/).waitFor();
  });

  test("a button that has just appeared answers nothing", async () => {
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
    // With the keyboard; a key that is held down presses once.
    await choice("No").focus();
    await page.keyboard.down("Enter");
    await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await expect.poll(given).toEqual(["s3: No"]);
  });

  test("a digit answers in the queue, and in a reply it is text", async () => {
    await open("");
    await page.getByRole("button", { name: /^Needs you/ }).focus();
    await page.keyboard.press("Enter");
    const at = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await expect.poll(at).toContain("Upgrade to Postgres 18");
    await page.keyboard.press("ArrowDown");
    await expect.poll(at).toContain("api-endpoints");
    // The focus ring surrounds everything that a key acts on, including answers.
    const ring = page.locator("main li", { has: page.locator("button.what:focus") });
    expect(await ring.evaluate((li) => getComputedStyle(li).outlineStyle)).toBe("solid");
    await expect
      .poll(() => page.locator("[data-answer='3']").getAttribute("aria-disabled"))
      .toBe("false");
    // The list ignores digits in its first moment.
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

  test("an answer that may not have arrived is reported with a link to the terminal", async () => {
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
});
