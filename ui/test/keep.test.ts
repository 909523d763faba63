// @vitest-environment node
/// <reference types="node" />
// Keeping one of two compared sessions, in a real browser: asked once, undone, and refused.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open, row } = withApp((fresh) => (page = fresh));

  async function keep() {
    await open("world=pair&view=compare:s8,s9");
    await page.getByRole("button", { name: /^Keep this one: .*Codex/ }).click();
    const dialog = page.getByRole("dialog", { name: /^Keep One function for totals \(Codex\)/ });
    await dialog.getByText("One function for totals (Claude Code)").waitFor();
    return dialog;
  }
  const asked = (op: string) =>
    page.evaluate((name) => window.engine.asked.filter((other) => other === name).length, op);

  test("the others are stopped and archived, and one press brings them back", async () => {
    const dialog = await keep();
    expect(await asked("archiveSession")).toBe(0);
    await dialog.getByRole("button", { name: "Keep this one" }).click();
    await row(/\(Claude Code\)/).waitFor({ state: "detached" });
    await page.getByRole("heading", { level: 1, name: /\(Codex\)/ }).waitFor();
    expect(await asked("removeWorkspace")).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await row(/\(Claude Code\)/).waitFor();
    expect([await asked("archiveSession"), await asked("unarchiveSession")]).toEqual([1, 1]);
  });

  test("nothing happens without a yes", async () => {
    const dialog = await keep();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect([await asked("stopSessions"), await asked("archiveSession")]).toEqual([0, 0]);
  });
});
