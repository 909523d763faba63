// Complete worlds to develop against: empty, one session or sixty, every status, long names.
import type {
  Agent,
  Notice,
  Project,
  Question,
  Session,
  SessionReview,
  Settings,
  Status,
} from "~/wire/types";
import { reviewed } from "./changes";
import { checked, merged, saidDone, verified } from "./checks";
import { clashing } from "./clash";
import { fleet } from "./fleet";
import { LONG, minutesAgo, project, session, slug, used, withAttention } from "./fixtures";
import { failed, limited, spent } from "./held";
import { AGENTS, SETTINGS } from "./machine";
import { pull, RED } from "./pulls";
import { showcase, SHOWCASE_PROJECTS } from "./showcase";

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
    session("s2", "p1", "auth-module", "running", 0, {
      ...checkout,
      ...checked("green"),
      ...verified(),
      pulls: [pull(41, "Sign in with a passkey")],
      issue: {
        host: "github.com",
        repository: "acme/storefront",
        number: 17,
        title: "Let people sign in with a passkey",
        url: "https://github.com/acme/storefront/issues/17",
      },
      usage: used(12),
      queued: 2,
    }),
    session("s3", "p1", "api-endpoints", "waiting", 2, { ...checkout, usage: used(9, true) }),
    session("s4", "p1", "unit-tests", "idle", 14, {
      ...checkout,
      ...checked("red", 1),
      ...saidDone(),
      ...merged("conflict"),
      pulls: [
        pull(38, "Test helpers", { state: "merged" }),
        pull(42, "Cover the totals of the cart with unit tests", RED),
      ],
    }),
    session("s5", "p1", "Fix flaky cart test", "spawning", 0),
    session("s6", "p2", "Upgrade to Postgres 18", "setup_failed", 6),
    session("s7", "p2", "Rotate deploy keys", "exited", 90, { hasBackup: true }),
  ];
  return {
    projects: [
      project("p1", "storefront", { forge: "github.com/acme/storefront" }),
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

/** Returns two agents on one task, one of them done. */
function pair(): Session[] {
  const task = "Let totals, taxes and discounts come from one pure function";
  const both = { task, workspacePath: "/home/ada/x" };
  return [
    session("s8", "p1", "One function for totals (Claude Code)", "idle", 3, {
      ...both,
      usage: used(7),
      createdAt: minutesAgo(12),
      steps: [],
      ...checked("green"),
    }),
    session("s9", "p1", "One function for totals (Codex)", "idle", 6, {
      ...both,
      agent: "codex",
      model: "gpt-5.2-codex",
      usage: used(4),
      createdAt: minutesAgo(12),
      steps: [],
      statusEvidence: { source: "hook", detail: "turn complete", at: minutesAgo(6) },
      ...checked("red"),
    }),
  ];
}

/** Returns recent and earlier notices: the conductor woke for each of its workers. */
function notices(sessions: Session[]): Notice[] {
  const woke = sessions.find(({ id }) => id === "s1");
  const turns = [2, 3, 5].map((minutes, index): Notice[] =>
    woke === undefined || sessions.length < 2
      ? []
      : [
          {
            id: 950 - index,
            kind: "finished",
            priority: "info",
            onDesktop: true,
            sessionId: woke.id,
            projectId: woke.projectId,
            title: woke.title,
            text:
              [
                "Two of three workers are done.",
                "auth-module goes on.",
                "Three workers are under way.",
              ][index] ?? "",
            at: minutesAgo(minutes),
            read: true,
          },
        ],
  );
  return [...lately(sessions), ...turns.flat()].sort((a, b) => b.at.localeCompare(a.at));
}

function lately(sessions: Session[]): Notice[] {
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
      priority: s.status === "waiting" ? "urgent" : "info",
      onDesktop: true,
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

const PROSE: Question = {
  kind: "asks",
  text: "Which of the two should hold the totals?",
  options: ["A table that every order writes", "A view over the order lines"],
};

function every(): World {
  const world = few();
  world.sessions = STATUSES.map((status, i) =>
    session(`e${i}`, "p1", `A session that is ${status}`, status, i * 7),
  );
  world.sessions.push(session("e20", "p1", "Crashed", "exited", 3, { exitCode: 137 }));
  world.sessions.push(session("e21", "p1", "Asks in prose", "waiting", 2, { question: PROSE }));
  world.sessions.push(limited("e22", false), limited("e23", true), spent("e24"));
  const why = "a message may not have arrived: And note it in the changelog.";
  world.sessions.push(
    session("e27", "p1", "Missed a message", "idle", 6, {
      attention: { kind: "message", why, since: minutesAgo(2) },
    }),
  );
  world.sessions.push(failed("e25", false), failed("e26", true));
  world.notices = notices(world.sessions);
  return world;
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

/**
 * Returns the world `0`, `project` (one, without sessions), `1`, `few`, `60`, `every`, `long`, `pair` (one
 * task, two agents), `reviewed` (s3 is approved, s2 was, changes are requested of s4), `clash` (worktrees that change the same files), `snoozed` (one that needs somebody is put off), `circles` (a worker that makes no progress), `queued` (a worker that waits for a free slot), `showcase` (twenty sessions for
 * pictures), or `board`, `board-60` and `board-300` (sessions in every column).
 */
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
    case "board":
    case "board-60":
    case "board-300": {
      const some = few();
      const size = { board: 16, "board-60": 60, "board-300": 300 }[name];
      const projects = [...some.projects, project("p3", "mobile-app")];
      const sessions = fleet(size, size > 16 ? ["p1", "p2", "p3"] : ["p1", "p2"]);
      return { ...some, projects: size > 16 ? projects : some.projects, sessions };
    }
    case "every":
      return every();
    case "long":
      return long();
    case "queued": {
      const some = few();
      const waiting = session("s4", "p1", "unit-tests", "queued", 2, { parent: "s1", port: null });
      const sessions = some.sessions.map((one) => (one.id === "s4" ? waiting : one));
      return { ...some, sessions };
    }
    case "pair": {
      const some = few();
      return { ...some, sessions: [...some.sessions, ...pair()] };
    }
    case "reviewed": {
      const some = few();
      const reviews: Record<string, SessionReview> = {
        s2: reviewed({ isOutdated: true, newer: 1, at: minutesAgo(21) }),
        s3: reviewed(),
        s4: reviewed({ verdict: "changesRequested", comments: 2 }),
      };
      const sessions = some.sessions.map((one) => ({ ...one, review: reviews[one.id] ?? null }));
      return { ...some, sessions };
    }
    case "snoozed": {
      const some = few();
      const later = new Date(Date.now() + 45 * 60_000).toISOString();
      const put = (one: Session) =>
        one.id === "s6" ? withAttention({ ...one, snoozedUntil: later }) : one;
      return { ...some, sessions: some.sessions.map(put) };
    }
    case "circles": {
      const some = few();
      const why = "8 messages exchanged with its conductor without a change to its code";
      const attention = { kind: "no_progress" as const, why, since: minutesAgo(3) };
      const stuck = (one: Session) =>
        one.id === "s4" ? withAttention({ ...one, reason: null, attention }) : one;
      return { ...some, sessions: some.sessions.map(stuck) };
    }
    case "showcase": {
      const sessions = showcase();
      return { ...few(), projects: SHOWCASE_PROJECTS, sessions, notices: notices(sessions) };
    }
    case "clash": {
      const some = few();
      return { ...some, sessions: clashing(some.sessions) };
    }
    default:
      return few();
  }
}
