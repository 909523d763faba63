// The readable output of the fake sessions: their screens, answers, changes, conversations and usage.
import type { Changes } from "~/wire/types";
import { minutesAgo, used } from "./fixtures";
import type { Handlers } from "./handlers";
import { budget } from "./held";
import type { World } from "./worlds";

/** The last terminal lines, by session id: a calm one, and one whose lines are wider than a card. */
const SAID: Record<string, string> = {
  s2: "● Update(src/auth/session.ts)\n  ⎿  Added 32 lines\n● Bash(npm test -- auth)\n  ⎿  14 passed, 1 failed\n✻ Fixing the expiry test… (41s)",
  s6: "$ npm ci\nnpm warn deprecated inflight@1.0.6\nnpm error code E404\nnpm error 404  '@storefront/money@3.2.0' is not in this registry.",
  s4: [
    " ▐▛███▜▌   Claude Code v2.1.228",
    "❯ Unit tests for prices",
    "  Read 1 file",
    "● Rounding and discounts are covered: 31 tests, all of them pass. Tax is left, since its rates come from the shop's settings.",
    `● Bash(npx vitest run test/prices.test.ts ${"--reporter=verbose,".repeat(12)})`,
    "  ⎿  31 passed",
    "✻ Brewed for 2s · done 7:04 AM",
    `${" ".repeat(70)}◐ medium · /effort`,
  ].join("\n"),
};

/** The agents' last answers, by session id. */
const ANSWERS: Record<string, string> = {
  s8: "Totals come from one pure function now, `totals(cart)`.\n\nThe old helper is gone; its three callers use the new one. 14 tests, all of them pass.",
  s9: "Done. I added `totals()` and kept the old helper as a thin wrapper, so that nothing else has to change. Two snapshots of the mails were updated.",
};

const changes = (files: Record<string, [number, number] | null>): Changes => {
  const known = Object.values(files).filter((file) => file !== null);
  const sum = (at: 0 | 1) => known.reduce((all, file) => all + file[at], 0);
  return {
    since: "main",
    count: Object.keys(files).length,
    added: sum(0),
    removed: sum(1),
    files: Object.entries(files).map(([path, lines]) => ({
      path,
      added: lines?.[0] ?? null,
      removed: lines?.[1] ?? null,
      isUntracked: path.startsWith("test/"),
    })),
  };
};

/** The sessions' changes, by session id. */
const CHANGES: Record<string, Changes> = {
  s8: changes({ "src/cart.ts": [6, 31], "src/totals.ts": [48, 0], "test/totals.test.ts": [92, 0] }),
  s9: changes({
    "docs/totals.png": null,
    "src/cart.ts": [4, 2],
    "src/mails/receipt.ts": [3, 3],
    "src/totals.ts": [61, 0],
    "test/totals.test.ts": [40, 0],
  }),
};

type Subject = "getOutput" | "search" | "getUsage";

export function outputs(world: World): Pick<Handlers, Subject> {
  return {
    getOutput: ({ id, what = "screen" }) => {
      const diff = what === "diff" ? (CHANGES[id] ?? changes({})) : null;
      const texts = {
        screen: () => SAID[id] ?? SAID.s2 ?? "",
        answer: () => ANSWERS[id] ?? "",
        diff: () => `${diff?.count ?? 0} files changed since main`,
      };
      return {
        id,
        text: texts[what](),
        at: null,
        title: what === "screen" ? "claude" : "",
        isCheckpoint: false,
        changes: diff,
      };
    },
    search: ({ query }) =>
      world.sessions
        .filter(({ title, task }) =>
          `${title}\n${task}`.toLowerCase().includes(query.toLowerCase()),
        )
        .map(({ id, name, title, projectId }) => ({
          sessionId: id,
          name,
          title,
          projectId,
          kind: "answered" as const,
          at: minutesAgo(7),
          snippet: [
            { text: "Keep the public API as it is, and add ", isMatch: false },
            { text: query, isMatch: true },
          ],
        })),
    getUsage: () => {
      const sessions = world.sessions
        .filter(({ usage }) => usage.output > 0)
        .map(({ id, title, projectId, usage, subtreeUsage }) => ({
          id,
          title,
          projectId,
          usage,
          subtree: subtreeUsage,
        }));
      const projects = world.projects.map(({ id, name }) => ({ id, name, usage: used(21) }));
      const days = [0, 1, 2, 4, 5, 6, 9, 12, 13].map((day) => ({
        day: minutesAgo(day * 1_440).slice(0, 10),
        usage: used([14, 9, 21, 4, 12, 17, 2, 8, 11][day % 9] ?? 1),
      }));
      const models = [
        { model: "claude-opus-4-5", usage: used(38) },
        { model: "house-model", usage: { ...used(4), cost: null, unpriced: ["house-model"] } },
      ];
      const budgets =
        sessions.length === 0
          ? []
          : [
              budget("projectDay", 42, null, "storefront"),
              budget("subtree", 86, "s1", "Checkout rewrite"),
              budget("session", 101, "s3", "api-endpoints"),
            ];
      const total = used(sessions.length === 0 ? 0 : 42, sessions.length > 0);
      const agents = [
        { agent: "claude", usage: used(24) },
        { agent: "codex", usage: used(13) },
        { agent: "opencode", usage: used(5) },
      ];
      const plans = [
        { id: "pl1", title: "Accounts", usage: used(9) },
        { id: "pl3", title: "Search", usage: used(4) },
      ];
      return {
        total,
        days,
        models,
        sessions,
        projects,
        agents,
        plans,
        removed: null,
        budgets,
        problem: null,
      };
    },
  };
}
