// @vitest-environment node
/// <reference types="node" />
// What axe-core finds in the main states, in both themes: nothing serious or worse.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { chromiumPath, withPages } from "./chromium";

declare global {
  interface Window {
    axe: { run: (context: unknown, options: unknown) => Promise<AxeResults> };
  }
}

const LONG = 60_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const dialog = (request: unknown) => `dialog=${encodeURIComponent(JSON.stringify(request))}`;

/** A query of the fixture page, and what shows once it is there. */
const STATES: Record<string, [query: string, shows: string]> = {
  empty: ["world=0", "button:has-text('Add project')"],
  home: ["world=few", "[role=treeitem]"],
  session: ["view=session:s3", ".xterm-screen"],
  ended: ["view=session:s7", "[data-strip]"],
  "set-up failed": ["view=session:s6", "[data-strip]"],
  shells: ["view=session:s3&shells=2&shell=1", "[role=tab]"],
  workers: ["view=session:s1&tab=workers", "article"],
  compare: ["world=pair&view=compare:s8,s9", "[role=columnheader]"],
  "needs you": ["view=attention", "[data-answer]"],
  notices: ["notices", "[role=dialog]"],
  cost: ["view=cost", "table"],
  settings: ["view=settings:general", "[role=spinbutton], input[type=number]"],
  "new session": [dialog({ kind: "newSession" }), "[role=dialog] textarea"],
  kill: [`view=session:s3&${dialog({ kind: "kill", sessionId: "s3" })}`, "[role=dialog]"],
  palette: [dialog({ kind: "palette" }), "[role=option]"],
};

/** What agents draw has their colours, and known exceptions, each with its reason. */
function isKnown(rule: string, where: string): boolean {
  if (where.includes("xterm")) return true;
  // The list of the palette is scrolled by the keys of its field.
  if (rule === "scrollable-region-focusable") return /data-command|bits-/.test(where);
  // The button that closes a shell stands in its tab.
  return rule === "aria-required-children" && where.includes('role="tablist"');
}

describe.skipIf(chromiumPath === undefined)("axe-core", { timeout: LONG }, () => {
  let page: Page;

  withPages(
    (fresh) => {
      page = fresh;
      page.setDefaultTimeout(20_000);
    },
    {},
    LONG,
  );

  const look = async (query: string, shows: string, theme: string) => {
    await page.goto(`${inject("fixturePage")}?${query}&theme=${theme}`);
    await page.locator(shows).first().waitFor();
    await page.addStyleTag({ content: "*{animation:none!important;transition:none!important}" });
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() =>
      window.axe.run(document, {
        resultTypes: ["violations"],
        // The name of a row says in full what its columns abbreviate: "2 minutes ago" for "2m".
        rules: { "label-content-name-mismatch": { enabled: false } },
      }),
    );
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) =>
        nodes
          .filter(({ html, target }) => !isKnown(id, `${html} ${target.join(" ")}`))
          .map(
            ({ target, failureSummary }) =>
              `${theme}: ${id}: ${target.join(" ")}: ${failureSummary ?? ""}`,
          ),
      );
  };

  test.each(Object.entries(STATES))(
    "finds nothing serious in: %s",
    async (_name, [query, shows]) => {
      expect([
        ...(await look(query, shows, "dark")),
        ...(await look(query, shows, "light")),
      ]).toEqual([]);
    },
  );
});
