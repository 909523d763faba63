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
});
