// Made-up projects and sessions for development, in every status.
import type {
  Attention,
  AttentionKind,
  Project,
  Question,
  Reason,
  Session,
  SessionSummary,
  Status,
  Step,
  Usage,
} from "~/wire/types";

import { columnOf } from "./board";

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
    checks: {
      commands: ["npm test", "lint: npm run lint (optional)"],
      because: "downbeat.yaml",
      hash: "77aa",
      approved: true,
    },
    reactionCommands: {
      commands: [
        "pr-opened: make preview",
        "agent-idle: sh -c 'make report && ./notify' (at most 5 minutes)",
      ],
      because: "downbeat.yaml",
      hash: "5c0d",
      approved: false,
    },
    forge: null,
    createdAt: minutesAgo(9_000),
    ...more,
  };
}

export const slug = (text: string) =>
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

/** Returns the usage of `turns` turns; with `house`, also of a model without a price. */
export function used(turns: number, house = false): Usage {
  const unpriced = house ? ["house-model"] : [];
  const cost = turns === 0 ? null : turns * 0.21;
  const [input, cached, written, output] = [4_100, 88_000, 2_300, 1_900].map((n) => n * turns);
  return { input, cached, written, output, cost, unpriced, byFamily: [] } as Usage;
}

/** Returns why a made-up session is not working. */
function reason(status: Status): Reason | null {
  switch (status) {
    case "queued":
      return {
        kind: "queued",
        text: "held back by its conductor's limit of 8 workers, next in line",
        until: null,
      };
    case "spawning":
      return { kind: "starting", text: "set-up: npm ci", until: null };
    case "waiting":
      return { kind: "question", text: QUESTION.text, until: null };
    default:
      return null;
  }
}

const QUESTION: Question = {
  kind: "permission",
  text: "Bash: npm run migrate:dev",
  options: ["Yes", "Yes, and don't ask again for npm run migrate commands", "No"],
};

/** Returns what the fake engine says about whether the session needs the person. */
function attention(made: Session): Attention | null {
  const { status, limit, paused, question, reason } = made;
  const since = made.statusSince;
  const is = (kind: AttentionKind): Attention => ({
    kind,
    why: question?.text ?? reason?.text ?? made.error ?? kind,
    since,
  });
  if (status === "setup_failed" || status === "errored") return is(status);
  if (status === "paused") return paused?.byBudget ? is("budget") : null;
  if (status !== "waiting") return null;
  if (limit) return limit.byItself && limit.overAt !== null ? null : is("limit");
  return is(question && question.kind !== "blocked" ? "question" : "blocked");
}

/**
 * Returns the session as the fake engine shows it, in its column of the board; an `attention` that was set explicitly is kept.
 */
export function withAttention(made: Session): Session {
  const kind = made.attention?.kind;
  const own = kind === "message" || kind === "no_progress" ? made.attention : null;
  const found = made.snoozedUntil === null ? (own ?? attention(made)) : null;
  const shown = { ...made, attention: found };
  return { ...shown, column: columnOf(shown) };
}

export function session(
  id: string,
  projectId: string,
  title: string,
  status: Status,
  since: number,
  more: Partial<Session> = {},
): Session {
  const ended = status === "exited" || status === "killed" || status === "errored";
  return withAttention({
    id,
    name: slug(title) || "session-1",
    title,
    projectId,
    role: more.parent ? "worker" : "session",
    conducts: more.role === "conductor",
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
    tools: null,
    once: false,
    limit: null,
    snoozedUntil: null,
    reason: reason(status),
    paused: null,
    budgets: [],
    shells: [],
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
    attention: null,
    setupSkipped: null,
    checksState: null,
    changes: null,
    collisions: [],
    done: null,
    review: null,
    issue: null,
    pulls: [],
    mergeState: null,
    column: "working",
    lifecycle: null,
    checks: null,
    merges: null,
    reactionsPaused: false,
    ...more,
    taskStart: (more.task ?? title).slice(0, 160),
    taskKey: more.task ?? title,
  });
}

/** What of a session no list has. */
const WHOLE: readonly Exclude<keyof Session, keyof SessionSummary>[] = [
  "task",
  "base",
  "steps",
  "report",
  "checks",
  "merges",
  "reactionsPaused",
  "forkedFrom",
  "earlierAgents",
  "subtreeUsage",
  "budgets",
];

/** A session as lists have it. */
export function summaryOf(session: Session): SessionSummary {
  const kept = Object.entries(session).filter(([key]) => !WHOLE.some((field) => field === key));
  return Object.fromEntries(kept) as unknown as SessionSummary;
}
