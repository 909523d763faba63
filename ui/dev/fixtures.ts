// Made-up projects and sessions for development: every status, long names, none, one or sixty.
import type {
  Agent,
  BudgetState,
  Notice,
  Project,
  Question,
  Session,
  Settings,
  Status,
  Step,
  Usage,
} from "~/wire/types";

const NOW = Date.now();
export const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

export const LONG =
  "Rewrite the checkout so that totals, taxes and discounts come from one pure function that the server and every client share";

export function project(id: string, name: string, more: Partial<Project> = {}): Project {
  return {
    id,
    name,
    path: `/home/ada/code/${name}`,
    defaultBranch: "main",
    trusted: true,
    conductorsAnswer: false,
    permissionMode: "ask",
    problem: null,
    setup: { commands: ["npm ci"], because: "package-lock.json", hash: "4f1c", approved: true },
    createdAt: minutesAgo(9_000),
    ...more,
  };
}

const slug = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "");

const ACTIVITY = {
  queued: "unknown",
  spawning: "unknown",
  setup_failed: "unknown",
  running: "active",
  waiting: "waiting_input",
  idle: "idle",
  unknown: "unknown",
  paused: "unknown",
  exited: "exited",
  killed: "exited",
  errored: "exited",
} as const satisfies Record<Status, Session["activity"]>;

const EVIDENCE: Record<Status, Session["statusEvidence"]["detail"]> = {
  queued: "held back by the limit on this conductor's workers",
  spawning: "set-up runs",
  setup_failed: "npm ci exited with 1",
  running: "PreToolUse hook",
  waiting: "PermissionRequest hook",
  idle: "Stop hook",
  unknown: "no output for 5 min",
  paused: "paused by you",
  exited: "process exited with 0",
  killed: "killed by you",
  errored: "claude: command not found",
};

function steps(status: Status): Step[] {
  const done = (name: string, detail: string, milliseconds: number): Step => ({
    name,
    state: "done",
    detail,
    startedAt: minutesAgo(1),
    milliseconds,
  });
  const base = [done("checkout", "5,012 files", 312), done("copy", "2 files, node_modules", 84)];
  switch (status) {
    case "queued":
      return [];
    case "spawning":
      return [
        ...base,
        {
          name: "setup",
          state: "running",
          detail: "npm ci",
          startedAt: minutesAgo(0.2),
          milliseconds: null,
        },
        { name: "start", state: "waiting", detail: "", startedAt: null, milliseconds: null },
      ];
    case "setup_failed":
      return [
        ...base,
        {
          name: "setup",
          state: "failed",
          detail: "npm ci: exit code 1",
          startedAt: minutesAgo(2),
          milliseconds: 8_420,
        },
        { name: "start", state: "waiting", detail: "", startedAt: null, milliseconds: null },
      ];
    default:
      return [...base, done("setup", "npm ci", 6_240), done("start", "claude", 410)];
  }
}

/** Tokens of a turn or `turns` of them; a model without a price beside, where it is `house`. */
export function used(turns: number, house = false): Usage {
  const unpriced = house ? ["house-model"] : [];
  const cost = turns === 0 ? null : turns * 0.21;
  const [input, cached, written, output] = [4_100, 88_000, 2_300, 1_900].map((n) => n * turns);
  return { input, cached, written, output, cost, unpriced } as Usage;
}

const PROSE: Question = {
  kind: "asks",
  text: "Which of the two should hold the totals?",
  options: ["A table that every order writes", "A view over the order lines"],
};

const QUESTION: Question = {
  kind: "permission",
  text: "Bash: npm run migrate:dev",
  options: ["Yes", "Yes, and don't ask again for npm run migrate commands", "No"],
};

export function session(
  id: string,
  projectId: string,
  title: string,
  status: Status,
  since: number,
  more: Partial<Session> = {},
): Session {
  const ended = status === "exited" || status === "killed" || status === "errored";
  return {
    id,
    name: slug(title) || "session-1",
    title,
    projectId,
    role: more.parent ? "worker" : "session",
    parent: null,
    depth: more.parent ? 1 : 0,
    workers: 0,
    agent: "claude",
    model: null,
    permissionMode: "ask",
    task: `${title}. Keep the public API as it is and add tests.`,
    status,
    activity: ACTIVITY[status],
    statusEvidence: {
      source: status === "queued" || status === "killed" ? "engine" : "hook",
      detail: EVIDENCE[status],
      at: minutesAgo(since),
    },
    statusSince: minutesAgo(since),
    stuck: null,
    limit: null,
    paused: null,
    budgets: [],
    currentTask: status === "running" ? "Writing the tests for totals" : null,
    question: status === "waiting" ? QUESTION : null,
    error:
      status === "setup_failed"
        ? "npm ci failed: 404 Not Found — @storefront/money@3.2.0 is not in this registry."
        : status === "errored"
          ? "claude is not on the PATH any more. Install it with: npm install -g @anthropic-ai/claude-code"
          : null,
    workspace: "worktree",
    workspacePath: `/home/ada/.local/share/downbeat/worktrees/${projectId}/${slug(title)}`,
    branch: `feature/${slug(title)}`,
    base: {
      name: "main",
      commit: "4e1f09a3b7c1d2e5f60718293a4b5c6d7e8f9012",
      behind: since > 20 ? 3 : 0,
    },
    port: ended ? null : 3100 + (since % 90),
    steps: steps(status),
    createdAt: minutesAgo(since + 30),
    lastActivityAt: minutesAgo(status === "running" ? 0 : since),
    exitCode: status === "exited" ? 0 : null,
    canResume: ended,
    hasBackup: false,
    report: null,
    queued: 0,
    forkedFrom: null,
    earlierAgents: [],
    archivedAt: null,
    usage: used(0),
    subtreeUsage: null,
    ...more,
  };
}

export const AGENTS: Agent[] = [
  {
    id: "claude",
    name: "Claude Code",
    tried: "2.1.329",
    installed: true,
    version: "2.1.228",
    path: "/usr/local/bin/claude",
    installHint: null,
    problem: null,
    canConduct: true,
    hasHooks: true,
    canResume: true,
    canFork: true,
  },
  {
    id: "codex",
    name: "Codex",
    tried: "0.169.0",
    installed: true,
    version: "0.169.0",
    path: "/usr/local/bin/codex",
    installHint: null,
    problem: null,
    canConduct: true,
    hasHooks: true,
    canResume: true,
    canFork: true,
  },
  {
    id: "opencode",
    name: "OpenCode",
    tried: "1.18.33",
    installed: false,
    version: null,
    path: null,
    installHint: "npm install -g opencode-ai, then `opencode auth login`",
    problem: null,
    canConduct: true,
    hasHooks: true,
    canResume: true,
    canFork: true,
  },
  {
    id: "shell",
    name: "Shell",
    tried: null,
    installed: true,
    version: null,
    path: "/bin/bash",
    installHint: null,
    problem: null,
    canConduct: false,
    hasHooks: false,
    canResume: false,
    canFork: false,
  },
];

export const SETTINGS: Settings = {
  preventIdleSleep: true,
  desktopNotifications: true,
  defaultAgent: "claude",
  defaultPermissionMode: "ask",
  theme: "system",
  terminalFontSize: 13,
  maxDepth: 2,
  workersPerConductor: 8,
  totalSessions: 60,
  goOnAfterLimit: false,
  keys: {},
  configPath: "/home/ada/.config/downbeat/downbeat.yaml",
  problem: null,
};

export interface World {
  projects: Project[];
  sessions: Session[];
  notices: Notice[];
  agents: Agent[];
  settings: Settings;
}

function few(): World {
  const checkout = { parent: "s1" };
  const sessions = [
    session("s1", "p1", "Checkout rewrite", "running", 12, {
      role: "conductor",
      workers: 3,
      usage: used(20),
      subtreeUsage: used(42, true),
    }),
    session("s2", "p1", "auth-module", "running", 0, { ...checkout, usage: used(12), queued: 2 }),
    session("s3", "p1", "api-endpoints", "waiting", 2, { ...checkout, usage: used(9, true) }),
    session("s4", "p1", "unit-tests", "idle", 14, checkout),
    session("s5", "p1", "Fix flaky cart test", "spawning", 0),
    session("s6", "p2", "Upgrade to Postgres 18", "setup_failed", 6),
    session("s7", "p2", "Rotate deploy keys", "exited", 90, { hasBackup: true }),
  ];
  return {
    projects: [
      project("p1", "storefront"),
      project("p2", "infra", {
        trusted: false,
        conductorsAnswer: false,
        setup: {
          commands: ["make deps", "./scripts/seed.sh --small"],
          because: "downbeat.yaml",
          hash: "9a0e",
          approved: false,
        },
      }),
    ],
    sessions,
    notices: notices(sessions),
    agents: AGENTS,
    settings: SETTINGS,
  };
}

/** Two agents on one task, one of them done. */
function pair(): Session[] {
  const task = "Let totals, taxes and discounts come from one pure function";
  const both = { task, workspacePath: "/home/ada/x" };
  return [
    session("s8", "p1", "One function for totals (Claude Code)", "idle", 3, {
      ...both,
      usage: used(7),
      createdAt: minutesAgo(12),
      steps: [],
    }),
    session("s9", "p1", "One function for totals (Codex)", "idle", 6, {
      ...both,
      agent: "codex",
      model: "gpt-5.2-codex",
      usage: used(4),
      createdAt: minutesAgo(12),
      steps: [],
      statusEvidence: { source: "hook", detail: "turn complete", at: minutesAgo(6) },
    }),
  ];
}

function notices(sessions: Session[]): Notice[] {
  const kinds = {
    waiting: "needsInput",
    idle: "finished",
    exited: "exited",
    errored: "failed",
    setup_failed: "failed",
  } as const;
  return sessions
    .filter((s): s is Session & { status: keyof typeof kinds } => s.status in kinds)
    .slice(0, 40)
    .map((s, index) => ({
      id: 900 - index,
      kind: kinds[s.status],
      sessionId: s.id,
      projectId: s.projectId,
      title: s.title,
      text:
        s.question?.text ??
        s.error ??
        (s.status === "exited" ? "Exited with code 0" : "38 tests written, all green."),
      at: s.statusSince,
      read: index > 1,
    }));
}

const TITLES = [
  "Search index rebuild",
  "Typed config loader",
  "Rate limits per tenant",
  "Dark mode for mails",
  "Flaky upload test",
  "Money type without floats",
  "Drop Node 18",
  "Audit log export",
  "Faster cold start",
  "Keyboard traps in dialogs",
];
const STATUSES: Status[] = [
  "running",
  "idle",
  "waiting",
  "running",
  "exited",
  "queued",
  "spawning",
  "setup_failed",
  "killed",
  "errored",
  "unknown",
  "paused",
];

function many(): World {
  const world = few();
  world.projects.push(
    project("p3", "mobile-app"),
    project("p4", "design-system-with-a-very-long-repository-name"),
  );
  for (let i = 0; world.sessions.length < 60; i += 1) {
    const projectId = ["p1", "p2", "p3", "p4"][i % 4] ?? "p1";
    const status = STATUSES[i % STATUSES.length] ?? "idle";
    const title =
      i % 9 === 4 ? LONG : `${TITLES[i % TITLES.length] ?? ""} ${Math.floor(i / 10) + 1}`;
    const id = `m${i}`;
    const conducts = i % 7 === 0;
    world.sessions.push(
      session(
        id,
        projectId,
        title,
        status,
        i * 3,
        conducts ? { role: "conductor", workers: 3 } : {},
      ),
    );
    if (!conducts) continue;
    for (let w = 0; w < 3 && world.sessions.length < 60; w += 1) {
      const state = STATUSES[(i + w) % STATUSES.length] ?? "idle";
      world.sessions.push(
        session(`${id}w${w}`, projectId, w === 2 ? LONG : `worker-${i}-${w}`, state, i + w, {
          parent: id,
        }),
      );
    }
  }
  world.notices = notices(world.sessions);
  return world;
}

function every(): World {
  const world = few();
  world.sessions = STATUSES.map((status, i) =>
    session(`e${i}`, "p1", `A session that is ${status}`, status, i * 7),
  );
  world.sessions.push(session("e20", "p1", "Crashed", "exited", 3, { exitCode: 137 }));
  world.sessions.push(session("e21", "p1", "Asks in prose", "waiting", 2, { question: PROSE }));
  for (const [id, byItself] of [
    ["e22", false],
    ["e23", true],
  ] as const) {
    world.sessions.push(limited(id, byItself));
  }
  world.sessions.push(
    session("e24", "p1", "Spent too much", "paused", 3, {
      activity: "idle",
      usage: used(12),
      statusEvidence: { source: "engine", detail: OVER, at: minutesAgo(3) },
      paused: { at: minutesAgo(3), why: OVER, byBudget: true },
      budgets: [budget("session", 101, "e24", null)],
    }),
  );
  world.notices = notices(world.sessions);
  return world;
}

const OVER = "used $5.05 of $5.00 of its budget";

/** A budget of which so many per cent are used. */
export function budget(
  scope: BudgetState["scope"],
  percent: number,
  sessionId: string | null,
  name: string | null,
): BudgetState {
  const allowed = { session: 5, subtree: 20, projectDay: 50 }[scope];
  const share = percent / 100;
  return {
    scope,
    sessionId,
    name,
    budget: { usd: allowed, tokens: null },
    used: { ...used(12), cost: allowed * share },
    share,
    standing: share >= 1 ? "over" : share >= 0.8 ? "near" : "within",
  };
}

function limited(id: string, byItself: boolean): Session {
  const minute = 60_000;
  return session(id, "p1", byItself ? "Waits for its limit" : "Hit a limit", "waiting", 4, {
    activity: "blocked",
    question: null,
    queued: byItself ? 0 : 1,
    statusEvidence: { source: "hook", detail: "StopFailure hook", at: minutesAgo(4) },
    limit: {
      text: "You've hit your limit · resets 3pm (Europe/Berlin)",
      resetsAt: new Date(NOW + 95 * minute).toISOString(),
      overAt: new Date(NOW + 96 * minute).toISOString(),
      byItself,
      goesOn: false,
    },
  });
}

function long(): World {
  const world = few();
  world.projects = world.projects.map((p) => ({
    ...p,
    name: `${p.name}-with-a-name-that-nobody-could-love-and-yet`,
    path: `/home/ada/very/deep/tree/of/folders/that/goes/on/and/on/${p.name}`,
  }));
  world.sessions = world.sessions.map((s, i) => ({
    ...s,
    title: `${i} ${LONG}`,
    branch: `feature/${slug(LONG)}-${i}`,
    question: s.question && { ...s.question, text: `Bash: ${LONG} && ${LONG}` },
  }));
  world.notices = notices(world.sessions);
  return world;
}

/** `0`, `project` (one, without sessions), `1`, `few`, `60`, `every`, `long`, `pair` (one task, two agents). */
export function world(name: string): World {
  switch (name) {
    case "0":
      return { ...few(), projects: [], sessions: [], notices: [] };
    case "project":
      return { ...few(), projects: few().projects.slice(0, 1), sessions: [], notices: [] };
    case "1": {
      const one = few();
      return {
        ...one,
        projects: one.projects.slice(0, 1),
        sessions: [session("s1", "p1", "Checkout rewrite", "running", 12)],
        notices: [],
      };
    }
    case "60":
      return many();
    case "every":
      return every();
    case "long":
      return long();
    case "pair": {
      const some = few();
      return { ...some, sessions: [...some.sessions, ...pair()] };
    }
    default:
      return few();
  }
}
