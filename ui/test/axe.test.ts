// @vitest-environment node
/// <reference types="node" />
// What axe-core finds in the main states, in both themes: nothing, however small.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import type { DialogRequest } from "~/state/dialogs.svelte";
import { chromiumPath, withPages } from "./chromium";

declare global {
  interface Window {
    axe: { run: (context: unknown, options: unknown) => Promise<AxeResults> };
  }
}

const LONG = 60_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const dialog = (request: unknown) => `dialog=${encodeURIComponent(JSON.stringify(request))}`;
const onPull = (what: string): [string, string] => [
  `view=session:s4&${dialog({ kind: "changePull", sessionId: "s4", number: 42, what })}`,
  "[role=dialog] button",
];

const PHONE = { width: 400, height: 800 };

type Size = typeof PHONE;

/** A query of the fixture page with what is pressed there, and a selector that appears once it is ready. */
const STATES: Record<string, [query: string, shows: string, size?: Size]> = {
  empty: ["world=0", "button:has-text('Add project')"],
  home: ["world=few", "[role=treeitem]"],
  board: ["world=board-60&group=conductor", "[data-card]"],
  "board with every status": ["world=every", "[data-answer]"],
  "board of cards": ["world=board&cards", "[data-card]"],
  "board with one session": ["world=1", "[data-card]"],
  session: ["view=session:s3", ".xterm-screen"],
  ended: ["view=session:s7", "[data-strip]"],
  "set-up failed": ["view=session:s6", "[data-strip]"],
  panes: ["view=session:s3&panes=s1,s2,s3/s4,s7", ".xterm-screen"],
  "empty panes": ["view=session:s2&panes=,s2/,s99", "[aria-label='Sessions for this pane'] button"],
  several: [
    `view=session:s3&${dialog({ kind: "several", how: "stop", ids: ["s2", "s3", "s7"] })}`,
    "[role=dialog] li",
  ],
  shells: ["view=session:s3&shells=2&shell=1", "[role=tab]"],
  workers: ["view=session:s1&tab=workers", "article"],
  changes: ["world=reviewed&view=session:s3&tab=changes&changes=long", ".line"],
  "no changes": ["view=session:s3&tab=changes&changes=empty", "main h2"],
  collisions: ["world=clash&view=session:s3&tab=changes", "[data-region=changes] ul"],
  "board with collisions": ["world=clash", "[data-card]"],
  story: ["view=session:s3&tab=story", "main li"],
  fix: ["view=fix:p1", "ol li"],
  "nothing to fix": ["view=fix:p2", "h2"],
  compare: ["world=pair&view=compare:s8,s9", "[role=columnheader]"],
  "compared file": [
    "world=pair&view=compare:s8,s9&press=[aria-label='Show the changes of src/cart.ts']",
    "[aria-label='Show the changes of src/cart.ts']",
  ],
  "needs you": ["view=attention", "[data-answer]"],
  notices: ["notices", "[role=dialog]"],
  "notices about plans": ["notices=plans&press=summary", "[role=dialog]"],
  cost: ["view=cost", "table"],
  timeline: ["archived&view=timeline", "[data-lane]"],
  "timeline without sessions": ["world=0&view=timeline", "main h2"],
  settings: ["view=settings:general", "[role=spinbutton], input[type=number]"],
  "new session": [dialog({ kind: "newSession" }), "[role=dialog] textarea"],
  kill: [`view=session:s3&${dialog({ kind: "kill", sessionId: "s3" })}`, "[role=dialog]"],
  palette: [dialog({ kind: "palette" }), "[role=option]"],
  "palette without a match": [dialog({ kind: "palette", said: true }), ".palette-empty"],
  "sixty sessions": ["world=60&view=session:s3", ".xterm-screen"],
  "every status": ["world=every&view=attention", "[data-answer]"],
  question: ["world=every&view=session:e21", "[data-answer]"],
  "usage limit": ["world=every&view=session:e22", "[data-strip]"],
  retrying: ["world=every&view=session:e26", "[data-strip]"],
  "why it is so": ["view=session:s3&press=.status", ".xterm-screen"],
  "saved prompts": [
    "prompts&view=session:s2&press=[aria-label='Saved prompts']",
    "[aria-label='Saved prompts']",
  ],
  "no saved prompts": [
    "view=session:s2&press=[aria-label='Saved prompts']",
    "[aria-label='Saved prompts']",
  ],
  queue: ["view=session:s2", "[data-region=composer] li"],
  "add project": [dialog({ kind: "addProject", path: "/home/ada/code/other" }), "[role=dialog]"],
  "approve set-up": [
    dialog({ kind: "newSession", projectId: "p2" }),
    "[role=dialog] [type=checkbox], [role=dialog] [role=checkbox]",
  ],
  trust: [dialog({ kind: "trust", projectId: "p2" }), "[role=dialog]"],
  "clean up": [dialog({ kind: "cleanUp", projectId: "p1" }), "[role=dialog] li"],
  remove: [`view=session:s7&${dialog({ kind: "remove", sessionId: "s7" })}`, "[role=dialog] li"],
  restore: [`view=session:s7&${dialog({ kind: "restore", sessionId: "s7" })}`, "[role=dialog]"],
  restart: [dialog({ kind: "restart", sessionId: "s2" }), "[role=dialog]"],
  archive: [`archived&${dialog({ kind: "archive", projectId: "p1" })}`, "[role=dialog]"],
  shortcuts: [dialog({ kind: "keys" }), "[role=dialog]"],
  "settings of keys": ["view=settings:keys", "main table, main [role=row], main button"],
  "settings of notifiers": ["view=settings:notifiers", "main li"],
  "settings of agents": ["view=settings:agents", "main h1, main h2"],
  "settings of forges": ["view=settings:forges", "main h1, main h2"],
  "settings of power": ["view=settings:power", "main h1, main h2"],
  "settings of looks": ["view=settings:appearance", "main h1, main h2"],
  "settings of projects": ["view=settings:projects", "main h1, main h2"],
  "menu of a pull request": [
    "view=session:s4&press=[aria-label='Actions for pull request %2342']",
    "[aria-label='Pull request'] .note",
  ],
  conversation: ["view=session:s4&press=.note.num", "[aria-label='Pull request'] .note"],
  "edit pull request": onPull("edit"),
  "comment on pull request": onPull("comment"),
  "labels of pull request": onPull("labels"),
  "request review": onPull("reviewers"),
  "close pull request": onPull("close"),
  "reaction history": [
    `view=session:s4&${dialog({ kind: "reactionHistory", sessionId: "s4" })}`,
    "[role=dialog] li",
  ],
  "rules of a project": [
    dialog({ kind: "projectReactions", projectId: "p1" }),
    "[role=dialog] summary",
  ],
  "merge queue": ["view=queue:p1", "ol li"],
  "empty merge queue": ["view=queue:p2", "h1"],
  plans: ["view=plans", "[data-plan]"],
  "no plans": ["plans=none&view=plans", "h2"],
  plan: ["view=plan:pl1&task=api", "[data-share]"],
  "plan that a session handed in": ["plans=handed-in&view=plan:pl1", "[data-share]"],
  "graph of a plan": ["view=plan:pl1&form=graph&task=api", "[data-task]"],
  "timeline of a plan": ["view=plan:pl1&form=timeline", "ol li"],
  "complete plan": ["view=plan:pl3&press=summary", "summary"],
  "new plan": [`${dialog({ kind: "newPlan" })}&tasks=A,B`, "[role=dialog] .waves"],
  "new plan with notes": [
    `${dialog({ kind: "newPlan" })}&tasks=[a] A,[b] B,[c] C,[d] D`,
    "[role=dialog] .waves",
  ],
  "new plan with an error": [
    `${dialog({ kind: "newPlan" })}&tasks=A (id: a) (depends_on: b)`,
    "[role=dialog] [role=alert]",
  ],
  "board by plan": ["group=plan", "[data-card]"],
  "board on a phone": ["world=board-60", "[data-card]", PHONE],
  "drawer on a phone": ["world=60&drawer", "[role=treeitem]", PHONE],
  "session on a phone": ["view=session:s3", ".xterm-screen", PHONE],
  "lost line": ["trouble=lost&view=session:s3", ".xterm-screen"],
};

/** Further dialogs, which are looked at one after the other in one page. */
const DIALOGS: DialogRequest[] = [
  { kind: "cancelPlan", planId: "pl1" },
  { kind: "resumePlan", planId: "pl4" },
  { kind: "addTasks", planId: "pl1" },
  { kind: "editTask", planId: "pl1", task: "form" },
  { kind: "doneByHand", planId: "pl1", worker: "backend-2" },
  { kind: "retryWorker", planId: "pl1", worker: "backend" },
  { kind: "skipWorker", planId: "pl1", worker: "backend-2" },
  { kind: "startFix", projectId: "p1" },
  { kind: "moveProject", projectId: "p1" },
  { kind: "removeProject", projectId: "p1" },
  { kind: "removeEnded", scope: { projectId: "p2" } },
  { kind: "stopAll" },
  { kind: "keep", sessionId: "s2", others: ["s3"] },
  { kind: "rename", sessionId: "s3" },
  { kind: "createPull", sessionId: "s3" },
  { kind: "killWorkers", sessionId: "s1" },
  { kind: "fork", sessionId: "s7" },
  { kind: "handOver", sessionId: "s2" },
  { kind: "leave", sessionId: "s7", how: "forget", why: "its branch has commits" },
  { kind: "closeShell", sessionId: "s3", shell: "s3", number: 1, program: "vim" },
  { kind: "quit" },
];

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

  /** Returns axe's findings for the page or a part in one theme: of all rules, or of those that check colours. */
  const look = async (theme: "dark" | "light", rules: "all" | "colours", part?: string) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme);
    const found = await page.evaluate(
      async ({ only, part }) => {
        /** What a rule does not apply to, and why. */
        const beyond: Record<string, string> = {
          // Agents choose the colours of what they draw.
          "color-contrast": ".xterm",
          // A layer closes as soon as it is left; it belongs to the button that opened it.
          region: "[role=menu], [role=listbox], [role=tooltip]",
        };
        const { violations } = await window.axe.run(part, {
          resultTypes: ["violations"],
          elementRef: true,
          // The name of a row spells out what its columns abbreviate: "2 minutes ago" for "2m".
          rules: { "label-content-name-mismatch": { enabled: false } },
          ...(only === null ? {} : { runOnly: only }),
        });
        return violations.flatMap(({ id, nodes }) =>
          nodes
            .filter(({ element }) => !element?.closest(beyond[id] ?? "never"))
            .map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary ?? ""}`),
        );
      },
      {
        only: rules === "all" ? null : ["color-contrast", "link-in-text-block"],
        part: part ?? "html",
      },
    );
    return found.map((one) => `${theme}: ${one}`);
  };

  /** Makes the page ready to be looked at. */
  const bring = async () => {
    await page.addStyleTag({ content: "*{animation:none!important;transition:none!important}" });
    await page.evaluate(AXE);
  };

  test.each(Object.entries(STATES))("finds nothing in: %s", async (_name, [query, shows, size]) => {
    if (size) await page.setViewportSize(size);
    await page.goto(`${inject("fixturePage")}?${query}&theme=system`);
    await page.locator(shows).first().waitFor();
    const press = new URLSearchParams(query).get("press");
    if (press !== null) await page.click(press);
    await bring();
    // Both themes have the same elements, so one run of the other rules is enough.
    expect([...(await look("dark", "all")), ...(await look("light", "colours"))]).toEqual([]);
  });

  test("finds nothing in further dialogs", async () => {
    await page.goto(`${inject("fixturePage")}?desktop&theme=system`);
    await page.locator("[data-card]").first().waitFor();
    await bring();
    const found: string[] = [];
    for (const request of DIALOGS) {
      await page.evaluate((request) => window.downbeat.dialogs.open(request), request);
      await page.locator("[role=dialog] button").first().waitFor();
      for (const theme of ["dark", "light"] as const)
        for (const one of await look(theme, theme === "dark" ? "all" : "colours", "[role=dialog]"))
          found.push(`${request.kind}: ${one}`);
      await page.evaluate(() => window.downbeat.dialogs.close());
      await page.locator("[role=dialog]").waitFor({ state: "detached" });
    }
    expect(found).toEqual([]);
  });
});
