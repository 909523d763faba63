// The fake machine: which agents are installed on it, its settings, and its notifiers.
import type { Agent, ForgeState, ForgeWebhook, NotifierState, Settings } from "~/wire/types";

/** The abilities of agents that were all tested. */
const ABLE = {
  problem: null,
  canConduct: true,
  hasHooks: true,
  canResume: true,
  canFork: true,
  canRunOnce: true,
  asking: false,
  onceReads: true,
};

export const AGENTS: Agent[] = [
  {
    id: "claude",
    name: "Claude Code",
    tried: "2.1.329",
    untried: false,
    installed: true,
    version: "2.1.228",
    path: "/usr/local/bin/claude",
    installHint: null,
    ...ABLE,
  },
  {
    id: "codex",
    name: "Codex",
    tried: "0.169.0",
    untried: false,
    installed: true,
    version: "0.169.0",
    path: "/usr/local/bin/codex",
    installHint: null,
    ...ABLE,
  },
  {
    id: "opencode",
    name: "OpenCode",
    tried: "1.18.33",
    untried: false,
    installed: false,
    version: null,
    path: null,
    installHint: "npm install -g opencode-ai, then `opencode auth login`",
    ...ABLE,
  },
  {
    id: "shell",
    name: "Shell",
    tried: null,
    untried: false,
    installed: true,
    version: null,
    path: "/bin/bash",
    installHint: null,
    problem: null,
    canConduct: false,
    hasHooks: false,
    canResume: false,
    canFork: false,
    canRunOnce: false,
    asking: false,
    onceReads: false,
  },
];

export const SETTINGS: Settings = {
  preventIdleSleep: true,
  desktopNotifications: true,
  desktopSound: false,
  defaultAgent: "claude",
  defaultPermissionMode: "ask",
  theme: "system",
  terminalFontSize: 13,
  terminalFont: null,
  interfaceFontSize: 13,
  budgets: {
    session: { usd: 5, tokens: null },
    subtree: { usd: null, tokens: null },
    projectDay: { usd: 50, tokens: null },
    warn: 80,
  },
  maxDepth: 2,
  workersPerConductor: 8,
  totalSessions: 60,
  goOnAfterLimit: false,
  keys: {},
  planner: null,
  planTemplates: [
    { name: "compare", about: "each task twice, by two approaches, to keep the better one" },
    {
      name: "divide",
      about: "each task with a worker of its own, then one that puts the parts together",
    },
    { name: "parallel", about: "each task as it is, with a worker of its own" },
    {
      name: "red-green",
      about: "tests that fail first, then what makes them pass, then tidying up",
    },
    { name: "review", about: "each task, then a worker that reviews and mends it" },
  ],
  configPath: "/home/ada/.config/downbeat/downbeat.yaml",
  problem: null,
};

/** What a notifier is before anything was sent. */
const UNUSED = {
  problem: null,
  waiting: 0,
  deliveredAt: null,
  error: null,
  failedAt: null,
  givenUp: 0,
  waitsUntil: null,
};

/** Returns notifiers as they were at this time. */
export function notifiers(before: (minutes: number) => string): NotifierState[] {
  return [
    {
      ...UNUSED,
      name: "desktop",
      kind: "desktop",
      address: null,
      gets: ["urgent", "action", "warning", "info"],
    },
    {
      ...UNUSED,
      name: "hook",
      kind: "webhook",
      address: "builds.example.com/…",
      gets: ["urgent", "action", "warning"],
      waiting: 2,
      error: "it answered 502 (bad gateway)",
      failedAt: before(1),
      deliveredAt: before(90),
      waitsUntil: null,
    },
    {
      ...UNUSED,
      name: "phone",
      kind: "ntfy",
      address: "ntfy.sh/…",
      gets: ["urgent"],
      deliveredAt: before(14),
    },
    {
      ...UNUSED,
      name: "slack",
      kind: "slack",
      address: "hooks.slack.com/…",
      gets: ["urgent", "action", "warning"],
      deliveredAt: before(3),
    },
    {
      ...UNUSED,
      name: "team",
      kind: "discord",
      address: null,
      gets: ["urgent", "action"],
      problem:
        "DISCORD_WEBHOOK_URL is not set; set DISCORD_WEBHOOK_URL, or name the webhook as `webhookUrl` in downbeat.yaml; Downbeat reads the environment at its start",
    },
  ];
}

/** What a forge sends by itself if nothing is configured. */
const NO_WEBHOOKS: ForgeWebhook = {
  isOn: false,
  problem: null,
  address: "http://127.0.0.1:4800/hooks/github",
  events: ["pull_request"],
  forwards: true,
  lastEvent: null,
  lastAt: null,
  refused: null,
  refusedAt: null,
};

/** Returns forges as they were at this time. */
export function forges(before: (minutes: number) => string): ForgeState[] {
  return [
    {
      host: "git.example.com",
      repositories: ["platform/billing"],
      pulls: 1,
      error:
        "git.example.com does not accept the token; log in again with `gh auth login --hostname git.example.com`",
      errorSince: before(26),
      answeredAt: before(27),
      pointsLeft: null,
      pointsOf: null,
      troubles: [],
      webhook: {
        ...NO_WEBHOOKS,
        isOn: true,
        refused: "its signature is not that of the secret",
        refusedAt: before(40),
      },
    },
    {
      host: "github.com",
      repositories: ["acme/shop", "acme/site"],
      pulls: 7,
      error: null,
      errorSince: null,
      answeredAt: before(0.2),
      pointsLeft: 4871,
      pointsOf: 5000,
      troubles: [],
      webhook: { ...NO_WEBHOOKS, isOn: true, lastEvent: "check_run", lastAt: before(3) },
    },
    {
      host: "gitlab.com",
      repositories: ["acme/group/tools"],
      pulls: 2,
      error: null,
      errorSince: null,
      answeredAt: before(0.4),
      pointsLeft: 1988,
      pointsOf: 2000,
      troubles: [],
      webhook: NO_WEBHOOKS,
    },
  ];
}
