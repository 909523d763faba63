// @vitest-environment node
/// <reference types="node" />
// How sessions and projects end, in a real browser: killed, stopped, removed and restored.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open, row } = withApp((fresh) => (page = fresh));

  test("Kill worker asks, kills, and offers to resume", async () => {
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

  test("all workers are killed with their number, and all sessions stopped until one stops it", async () => {
    await open("view=session:s1");
    await row(/^Checkout rewrite/).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Kill all workers…" }).click();
    const kill = page.getByRole("dialog", { name: /Kill all workers/ });
    await kill.getByText("api-endpoints", { exact: true }).waitFor();
    await kill.getByRole("button", { name: "Kill all workers" }).click();
    await page.getByText("3 workers were killed").waitFor();

    await page.keyboard.press("Control+Shift+K");
    await page.getByRole("combobox").fill("stop all");
    await page.keyboard.press("Enter");
    const stop = page.getByRole("dialog", { name: "Stop all sessions" });
    await stop.getByText("Checkout rewrite", { exact: true }).waitFor();
    await stop.getByRole("button", { name: "Stop all" }).click();
    await page.getByText(/sessions were stopped/).waitFor();
    await row(/^Checkout rewrite, Stopped/).waitFor();
  });

  test("a toast stops offering an action that is no longer possible", async () => {
    await open("view=session:s2");
    await page.keyboard.press("Control+Shift+Backspace");
    await page.getByRole("dialog").getByRole("button", { name: "Kill worker" }).click();
    const toast = page.getByRole("status").filter({ hasText: "auth-module was killed" });
    await toast.getByRole("button", { name: "Resume" }).waitFor();
    await page.evaluate(() => window.downbeat.call("resumeSession", { id: "s2" }));
    await toast.getByRole("button", { name: "Resume" }).waitFor({ state: "detached" });
    expect(await toast.count()).toBe(1);
  });

  test("a removal lists unsaved work, saves it, and can be undone", async () => {
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

  test("work done after the removal dialog opened is shown before it is removed", async () => {
    await open("view=session:s7");
    await page.evaluate(() => window.engine.hideWork("s7"));
    await row(/^Rotate deploy keys/).focus();
    await page.keyboard.press("Delete");
    const dialog = page.getByRole("dialog", { name: /Remove/ });
    await dialog.getByText("Nothing will be lost").waitFor();
    await page.evaluate(() => window.engine.showWork());
    await dialog.getByRole("button", { name: "Remove", exact: true }).click();
    await dialog.getByText("src/rotate.ts").waitFor();
    await dialog.getByRole("button", { name: "Save and remove" }).click();
    await page.getByText("worktree removed").waitFor();
  });

  test("a stopped session is not a failure, and twins are distinguished", async () => {
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

  test("sessions that hold a project are listed and removed first; unsaved work is kept", async () => {
    await open("");
    await row("infra").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Remove project…" }).click();
    const held = page.getByRole("dialog", { name: "infra cannot be removed yet" });
    await held.getByText("1 session is running").waitFor();
    await held.getByText("Rotate deploy keys").waitFor();
    expect(await held.getByRole("button", { name: "Remove project" }).count()).toBe(0);
    await held.getByRole("button", { name: "Stop it" }).click();
    await held.getByText("2 ended sessions have a worktree").waitFor();
    await held.getByRole("button", { name: "Remove ended…" }).click();
    const ended = page.getByRole("dialog", { name: "Remove 2 ended sessions" });
    await ended.getByRole("button", { name: "Remove 2" }).click();
    const kept = ended.getByRole("list");
    await kept.getByText("Rotate deploy keys").waitFor();
    await kept.getByText("3 files are not committed").waitFor();
    expect(await row(/Upgrade to Postgres/).count()).toBe(0);
    await kept.getByRole("button", { name: "Open" }).click();
    await page.getByRole("heading", { level: 1, name: "Rotate deploy keys" }).waitFor();
    // Once nothing holds the project, the confirmation appears.
    await page.evaluate(() =>
      window.downbeat.call("removeWorkspace", { id: "s7", force: true, forget: true }),
    );
    await row("infra").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Remove project…" }).click();
    const sure = page.getByRole("dialog", { name: "Remove infra?" });
    await sure.getByRole("button", { name: "Remove project" }).click();
    await row("infra").waitFor({ state: "detached" });
  });

  /** The milliseconds that each removal takes: time enough to stop before the last one, on a busy machine, too. */
  const SLOWLY = 1_500;
  const BEGUN = "[aria-valuenow]:not([aria-valuenow='0'])";

  /** Opens the dialog that removes all ended sessions of a large project, and slows the engine down. */
  async function removeMany() {
    const request = { kind: "removeEnded", scope: { projectId: "p1" } };
    await open(`world=60&dialog=${encodeURIComponent(JSON.stringify(request))}`);
    const dialog = page.getByRole("dialog", { name: /^Remove \d+ ended sessions/ });
    const confirm = dialog.getByRole("button", { name: /^Remove \d+$/ });
    const all = Number(/\d+/.exec(await confirm.innerText())?.[0]);
    expect(all).toBeGreaterThan(2);
    await page.evaluate((slowly) => (window.engine.latency = slowly), SLOWLY);
    await confirm.click();
    return { dialog, all };
  }
  const forgotten = () =>
    page.evaluate(() => window.engine.asked.filter((op) => op === "removeWorkspace").length);

  test("many sessions show how far they are, and stop before the next one", async () => {
    const { dialog, all } = await removeMany();
    const bar = dialog.getByRole("progressbar", { name: "Removing ended sessions" });
    await bar.and(page.locator(BEGUN)).waitFor();
    await dialog.getByText(new RegExp(`^[1-9] of ${all}`)).waitFor();
    await dialog.getByRole("button", { name: "Stop here" }).click();
    await dialog.getByText(/You stopped before the last/).waitFor();
    const reached = await forgotten();
    expect(reached).toBeLessThan(all);
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await dialog.waitFor({ state: "detached" });
    expect(await forgotten()).toBe(reached);
  });

  test("a closed dialog goes on in a toast, which can stop it, too", async () => {
    const { dialog, all } = await removeMany();
    await dialog.getByRole("progressbar").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    const toast = page.getByRole("status").filter({ hasText: "Removing ended sessions" });
    await toast.getByText(new RegExp(`^[1-9] of ${all}`)).waitFor();
    await toast.getByRole("button", { name: "Stop here" }).click();
    await page.getByText(/You stopped before the last/).waitFor();
    expect(await forgotten()).toBeLessThan(all);
    expect(await page.getByRole("progressbar").count()).toBe(0);
  });

  test("a cleanup shows what can go, how far it is, and what it did", async () => {
    await open("world=60");
    await row("storefront").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Clean up worktrees…" }).click();
    const dialog = page.getByRole("dialog", { name: "Clean up storefront" });
    await dialog.getByText(/\d+ worktrees with .* can go/).waitFor();
    await page.evaluate((slowly) => (window.engine.latency = slowly), SLOWLY);
    await dialog.getByRole("button", { name: /^Remove \d+ worktrees/ }).click();
    const bar = dialog.getByRole("progressbar", { name: "Cleaning up storefront" });
    await bar.and(page.locator(BEGUN)).waitFor();
    await dialog.getByText("Removed: Ended").first().waitFor();
    await dialog.getByRole("button", { name: "Stop here" }).click();
    await dialog.getByText(/\d worktrees? with .* removed\. You stopped before the last/).waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().waitFor();
  });
});
