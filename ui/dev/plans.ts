// Made-up plans: one under way with every state of a task, and plans of any size. `?plans=` names a size (`60`, `300`), `none`,
// `long`, `phases`, `handed-in`, `projects`, or `unmerged`.
import { CallError } from "~/wire/error";
import type { Notice, Plan, PlanWorker, Task } from "~/wire/types";
import { LONG, minutesAgo } from "./fixtures";
import type { Handlers } from "./handlers";
import { changed, merged } from "./plan-changes";
import { task, worker } from "./plan-parts";
import { proposed } from "./propose";

function plan(id: string, title: string, more: Partial<Plan>): Plan {
  return {
    id,
    projectId: "p1",
    title,
    state: "running",
    atOnce: 6,
    split: "domain",
    tasks: [],
    workers: [],
    advice: "4 tasks can run at once, in 4 domains",
    warning: null,
    report: "1 of 3 workers finished\n",
    createdAt: minutesAgo(38),
    ...more,
  };
}

/** A plan in the middle of its run. */
function signIn(): Plan {
  return plan("pl1", "Sign-in with passkeys", {
    startedAt: minutesAgo(36),
    usd: 3.84,
    tasks: [
      { ...task("read", "Read the passkey specification", "documentation"), done: true },
      task("schema", "Tables for credentials", "database", ["read"]),
      {
        ...task("api", "Endpoints to register and to sign in", "backend", ["schema"]),
        description:
          "Two routes, each with a challenge that is used once and expires after a minute.",
        checks: ["A replayed challenge is refused", "Both routes are in the API's description"],
        skills: ["api-design"],
        agent: "claude",
        model: "claude-opus-4-5",
        permissionMode: "acceptEdits",
      },
      task("form", "Sign-in form", "frontend", ["api"]),
      task("list", "List of a person's passkeys", "frontend", ["api"]),
      task("limits", "Rate limits for both endpoints", "security", ["api"]),
      task("e2e", "End-to-end tests with a virtual authenticator", "testing", ["form", "limits"]),
      task("guide", "Guide page", "documentation"),
      task("mail", "Mail after a new passkey", "backend", ["schema"]),
      task("audit", "Audit log of sign-ins", "security", ["mail"]),
      task("dark", "Dark mode of the form", "frontend", ["form"]),
    ],
    workers: [
      worker("database", ["schema"], [], "done", {
        sessionId: "s2",
        startedAt: minutesAgo(36),
        endedAt: minutesAgo(25),
        commit: "4f0a91b2c1d2e5f60718293a4b5c6d7e8f901234",
        canMerge: true,
        usd: 0.61,
      }),
      worker("documentation", ["guide"], [], "done", {
        startedAt: minutesAgo(36),
        endedAt: minutesAgo(31),
        branch: "feature/guide-page",
        commit: "9be2aa10c1d2e5f60718293a4b5c6d7e8f901234",
        byHand: true,
        usd: 0.22,
      }),
      worker("backend", ["api"], ["database"], "running", {
        sessionId: "s3",
        startedAt: minutesAgo(25),
        usd: 1.89,
      }),
      worker("backend-2", ["mail"], ["database"], "failed", {
        sessionId: "s7",
        startedAt: minutesAgo(24),
        endedAt: minutesAgo(12),
        why: "its checks failed",
        usd: 1.12,
      }),
      worker("frontend", ["form"], ["backend"], "waiting", { why: "waits for backend" }),
      worker("frontend-2", ["list"], ["backend"], "waiting", { why: "waits for backend" }),
      worker("security", ["limits"], ["backend"], "waiting", { why: "waits for backend" }),
      worker("testing", ["e2e"], ["frontend", "security"], "waiting", {
        why: "waits for frontend, security",
      }),
      worker("security-2", ["audit"], ["backend-2"], "waiting", {
        why: "held: backend-2 failed; retry or skip it",
      }),
      worker("frontend-3", ["dark"], ["frontend"], "skipped"),
    ],
  });
}

/** Plans that are not under way. */
function others(): Plan[] {
  const domains = ["frontend", "backend", "testing", "security"];
  const four = ["Build login UI", "Create JWT API", "Write tests", "Security audit"];
  const made = (id: string, more: Partial<Plan>) =>
    plan(id, four.join(", "), {
      tasks: four.map((title, at) => task(`${at + 1}`, title, domains[at] ?? "general")),
      workers: four.map((_, at) => worker(domains[at] ?? "general", [`${at + 1}`], [], "waiting")),
      ...more,
    });
  const done = made("pl3", {
    title: "Faster cold start",
    state: "complete",
    createdAt: minutesAgo(1_500),
    startedAt: minutesAgo(1_490),
    endedAt: minutesAgo(1_472),
    usd: 2.17,
    workers: domains.map((domain, at) => ({
      ...worker(domain, [`${at + 1}`], [], "done", {
        commit: `${at}f0a91b2c1d2e5f60718293a4b5c6d7e8f901234`,
      }),
      ...(at < 2 ? { landed: "main as 3f2a91c" } : { canMerge: true }),
    })),
    report:
      "[COMPLETE] All 4 workers finished\n- frontend: 1/1 tasks ✓\n- backend: 1/1 tasks ✓\n- testing: 1/1 tasks ✓\n- security: 1/1 tasks ✓\nTotal time: 18 min (the workers worked 1 h 0 min together)\nLanded on main as 3f2a91c: frontend, backend\nNot landed yet: testing, security\n",
  });
  return [
    made("pl2", {
      state: "proposed",
      createdAt: minutesAgo(4),
      workers: made("", {}).workers.map((one) => ({ ...one, why: "the plan was not run yet" })),
    }),
    made("pl4", {
      title: "Move the money type into one crate",
      projectId: "p2",
      state: "paused",
      createdAt: minutesAgo(300),
      startedAt: minutesAgo(290),
      why: "its workers used $5.02 of $5.00: resume it with a larger budget",
      budget: { usd: 5, tokens: null },
      workers: made("", {}).workers.map((one, at) => ({
        ...one,
        state: at < 2 ? "done" : "waiting",
        why: at < 2 ? null : "the plan is paused",
      })),
    }),
    {
      ...done,
      workers: done.workers.map((one, at) => ({
        ...one,
        state: "done",
        startedAt: minutesAgo(1_490 - at),
        endedAt: minutesAgo(1_472 + 2 * at),
      })),
    },
    made("pl5", { title: "Rewrite the mailer", state: "cancelled", createdAt: minutesAgo(9_000) }),
  ];
}

/** A plan of any number of tasks, each of which needs up to two of those before it. */
export function large(size: number, long = false): Plan {
  const domains = ["frontend", "backend", "testing", "database", "security"];
  const tasks = Array.from({ length: size }, (_, at): Task => {
    const needs = [at - 3 - (at % 5), at - 7 - (at % 3)].filter(
      (need) => need >= 0 && at % 6 !== 0,
    );
    const title = long ? `${at} ${LONG}` : `Task ${at + 1}: move module ${at + 1} to the new API`;
    const domain = domains[at % 5] ?? "general";
    return { ...task(`t${at}`, title, domain), needs: [...new Set(needs)].map((id) => `t${id}`) };
  });
  const name = (id: string) => (long ? `${LONG.toLowerCase().replaceAll(" ", "-")}-${id}` : id);
  const edge = Math.floor(size / 3);
  const workers = tasks.map(({ id, domain, needs = [] }, at): PlanWorker => {
    const state =
      at < edge ? "done" : at < edge + 5 ? (at % 4 === 3 ? "failed" : "running") : "waiting";
    const why = state === "waiting" ? `waits for ${name(needs[0] ?? "t0")}` : null;
    return {
      ...worker(name(id), [id], needs.map(name), state, { why }),
      domain,
      ...(at < edge + 5 ? { startedAt: minutesAgo(90 - at / 4) } : {}),
      ...(at < edge ? { endedAt: minutesAgo(80 - at / 4) } : {}),
    };
  });
  return plan("pl1", long ? LONG : `A plan of ${size} tasks`, {
    tasks,
    workers,
    startedAt: minutesAgo(90),
  });
}

/** A plan of spec-kit: phases that follow each other. */
function phases(): Plan {
  const names = ["Setup", "Foundations", "User story 1", "User story 2", "Polish"];
  const sizes = [2, 4, 5, 3, 2];
  const tasks = names.flatMap((phase, stage) =>
    Array.from({ length: sizes[stage] ?? 0 }, (_, at): Task => {
      const id = `T${String(stage * 10 + at + 1).padStart(3, "0")}`;
      const before = `T${String(stage * 10 + at).padStart(3, "0")}`;
      const needs = at > 0 && at % 2 === 1 ? [before] : [];
      return { ...task(id, `${phase}: part ${at + 1}`, "backend", needs), stage, phase };
    }),
  );
  const workers = tasks.map(({ id, needs = [], stage }) =>
    worker(
      `worker-${id}`,
      [id],
      needs.map((need) => `worker-${need}`),
      stage < 2 ? "done" : "waiting",
    ),
  );
  return plan("pl1", "Photo albums", { tasks, workers });
}

/** A plan over two repositories. */
function several(): Plan {
  const made = signIn();
  const there = ["schema", "api", "mail"];
  const name = (own: string) => own.replace(/^(database|backend)/, "$1-infra");
  return {
    ...made,
    projects: [
      { id: "p1", name: "storefront", path: "/home/ada/storefront" },
      { id: "p2", name: "infra", path: "/home/ada/infra" },
    ],
    tasks: made.tasks.map((one) =>
      there.includes(one.id)
        ? { ...one, project: "infra", projectId: "p2" }
        : { ...one, project: "storefront" },
    ),
    workers: made.workers.map((one) => ({
      ...one,
      name: name(one.name),
      needs: one.needs.map(name),
      projectId: one.tasks.some((id) => there.includes(id)) ? "p2" : "p1",
    })),
  };
}

/** A plan that a session made for the person, who has to run it. */
function handedIn(): Plan {
  const made = signIn();
  return plan("pl1", made.title, {
    state: "proposed",
    personRuns: true,
    agent: "codex",
    conductor: "s1",
    split: "task",
    atOnce: 4,
    priority: "high",
    budget: { usd: 5, tokens: 2_000_000 },
    minutes: 90,
    file: ".opencode/plans/payment-system-plan.md",
    results: "/home/ada/code/storefront/.opencode/results",
    notes: [
      "task list has no needs, although its title names the endpoints",
      "the skill api-design is not there: its worker does without",
    ],
    createdAt: minutesAgo(3),
    tasks: made.tasks,
    workers: made.workers.map(({ name, domain, tasks, needs }) => ({
      ...worker(name, tasks, needs, "waiting", { why: "the plan was not run yet" }),
      domain,
    })),
  });
}

/** Notices about plans: of the one under way, and of one that is complete. */
export function aboutPlans(): Notice[] {
  const about = { kind: "raised", onDesktop: true, sessionId: null, projectId: "p1" } as const;
  const text = "4 of 10 workers finished\nbackend-2 failed: its checks failed\n";
  const one = { ...about, planId: "pl1", priority: "action" as const };
  const title = "Sign-in with passkeys";
  return [
    { ...one, id: 990, title: `plan needs you: ${title}`, text, at: minutesAgo(2), read: false },
    {
      ...about,
      id: 980,
      planId: "pl3",
      priority: "info",
      title: "plan complete: Faster cold start",
      text: "[COMPLETE] All 4 workers finished",
      at: minutesAgo(9),
      read: false,
    },
    {
      ...one,
      id: 975,
      title: `plan to look at: ${title}`,
      text: "Checkout rewrite made a plan with 11 tasks for 10 workers. Nothing runs yet.",
      at: minutesAgo(36),
      read: true,
    },
  ];
}

/** The complete plan, with work that could not be merged; any other plan as it is. */
function unmerged(one: Plan): Plan {
  if (one.state !== "complete") return one;
  const why =
    "security is in conflict with main: both changed src/session.ts; the agent was notified 3 times and did not fix it";
  return {
    ...one,
    workers: one.workers.map((worker) =>
      worker.name === "security" ? { ...worker, mergeFailed: why } : worker,
    ),
    report: `${one.report}security could not be merged: ${why}\n`,
  };
}

/** The plans that a fixture page begins with. */
function begin(which: string): Plan[] {
  const size = Number(which);
  if (which === "none") return [];
  if (which === "long") return [large(24, true), ...others()];
  if (which === "phases") return [phases(), ...others()];
  if (which === "handed-in") return [handedIn(), ...others()];
  if (which === "projects") return [several(), ...others()];
  if (which === "unmerged") return [signIn(), ...others().map(unmerged)];
  return [size > 0 ? large(size) : signIn(), ...others()];
}

/** The part of the fake engine that plans need. `tellPlan` reports that a plan changed. */
interface Desk {
  tellPlan(id: string): void;
  world: {
    settings: { planner: string | null };
    sessions: readonly { id: string; name: string }[];
  };
}

/** A plan as lists have it: without the long texts of its tasks. */
function inList(of: Plan): Plan {
  const short = (one: Task): Task => {
    const task = { ...one };
    delete task.description;
    delete task.skills;
    delete task.checks;
    return task;
  };
  return { ...of, isSummary: true, tasks: of.tasks.map(short) };
}

/** The handlers of plans. */
export function plans(desk: Desk) {
  let all = begin(new URLSearchParams(location.search).get("plans") ?? "");
  const found = (id: string): Plan => {
    const of = all.find((one) => one.id === id);
    if (of === undefined) throw new CallError("not_found", `there is no plan ${id}`);
    return of;
  };
  const put = (fresh: Plan): Plan => {
    all = [fresh, ...all.filter(({ id }) => id !== fresh.id)];
    desk.tellPlan(fresh.id);
    return fresh;
  };
  return {
    listPlans: () => all.map(inList),
    planStatus: ({ id }) => found(id),
    planStops: () => [],
    proposePlan: (request) => {
      const made = plan(`pl${all.length + 10}`, "", proposed(request));
      return request.dryRun ? made : put({ ...made, createdAt: new Date().toISOString() });
    },
    planGoal: ({ goal, ...options }) => {
      const [session] = desk.world.sessions;
      if (desk.world.settings.planner === null && session !== undefined) {
        return { session: { id: session.id, name: session.name } };
      }
      if (goal.includes("fail")) {
        throw new CallError(
          "failed",
          "the planner my-planner ended with exit code 3:\nno key for the model",
          "run it in a terminal with a goal on its standard input",
        );
      }
      const text = "Create API (id: api), Build login page (depends_on: api), Write tests";
      const made = plan(`pl${all.length + 10}`, "", proposed({ ...options, text }));
      const title = goal.split("\n")[0] ?? goal;
      return { plan: put({ ...made, title, createdAt: new Date().toISOString() }) };
    },
    runPlan: ({ id }) =>
      put({ ...found(id), state: "running", startedAt: new Date().toISOString() }),
    changePlan: (request) => put(changed(found(request.id), request)),
    mergePlan: ({ id }) => merged(found(id)),
  } satisfies Partial<Handlers>;
}
