// @vitest-environment node
/// <reference types="node" />
// Compared sessions in a real browser: their checks line by line, and what each changed in a file.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open } = withApp((fresh) => (page = fresh));
  const begin = async () => {
    await open("world=pair&view=compare:s8,s9");
    await page.getByRole("columnheader", { name: /Claude Code/ }).waitFor();
  };
  const file = (path: string) => page.getByRole("button", { name: `Show the changes of ${path}` });
  const side = (name: string) => page.getByRole("region", { name, exact: true });

  test("each check has its line in every column, and shows its output", async () => {
    await begin();
    const row = page.getByRole("row", { name: /^Checks/ });
    const cells = row.getByRole("cell");
    await expect.poll(() => cells.nth(1).innerText()).toContain("Failed");
    expect(await cells.first().innerText()).toContain("Passed");
    const lines = async (at: number) =>
      (await cells.nth(at).getByRole("listitem").allInnerTexts()).map((text) =>
        text.replace(/\s+/g, " "),
      );
    expect([await lines(0), await lines(1)]).toEqual([
      ["✓ npm run build 12.4 s", "✓ npm test 4.2 s", "✕ lint exit code 2, optional"],
      ["✓ npm run build 12.4 s", "✕ npm test exit code 1", "✕ lint exit code 2, optional"],
    ]);
    await cells.nth(1).getByRole("button", { name: "npm test" }).click();
    await page.getByRole("dialog", { name: "npm test" }).getByText("1 failed").first().waitFor();
  });

  test("a file is opened by key, with the lines of both sessions, and closed", async () => {
    await begin();
    await file("src/cart.ts").press("Enter");
    expect(await file("src/cart.ts").getAttribute("aria-expanded")).toBe("true");
    await side("Claude Code: src/cart.ts").getByText("total(rates: TaxRates): Cents {").waitFor();
    await side("Codex: src/cart.ts").getByText("Kept for callers of version 3").waitFor();
    const boxes = await Promise.all(
      ["Claude Code", "Codex"].map((name) => side(`${name}: src/cart.ts`).boundingBox()),
    );
    expect(boxes[0]?.y).toBe(boxes[1]?.y);
    expect(boxes[0]?.width).toBeCloseTo(boxes[1]?.width ?? 0, -1);
    // There is nothing to comment on here.
    expect(await page.getByRole("button", { name: /^Comment on/ }).count()).toBe(0);
    await file("docs/totals.png").click();
    await side("Claude Code: docs/totals.png").getByText("did not change the file").waitFor();
    await side("Codex: docs/totals.png").getByRole("img").first().waitFor();
    expect(await side("Codex: src/cart.ts").count()).toBe(0);
    await file("docs/totals.png").click();
    expect(await side("Codex: docs/totals.png").count()).toBe(0);
  });
});
