// Made-up runs of `fix`: under way in the first project with `?fix` or in its own view, none in the others. `?fix=` also has
// runs that began (`looking`) or ended (`left`, `budget`, `nothing`, `failed`).
import type { FixGroup, FixRun, FixState, StartFix } from "~/wire/types";
import { CallError } from "~/wire/error";
import { minutesAgo } from "./fixtures";
import type { Handlers } from "./handlers";
import type { World } from "./worlds";

function group(
  number: number,
  file: string,
  state: FixState,
  why: string,
  session: string | null,
): FixGroup {
  return {
    number,
    title: file,
    checks: ["test"],
    commands: ["npm test"],
    files: [file],
    failures: [
      {
        check: "test",
        tool: "vitest",
        id: `vitest:${file} > rounds half cents`,
        title: `${file} > rounds half cents`,
        message: "expected 4 to be 3",
        file,
        line: 14,
        text: "expected 4 to be 3",
      },
    ],
    state,
    since: minutesAgo(1),
    why,
    session,
    worker: session === null ? null : "a-worker",
    begunAt: session === null ? null : minutesAgo(3),
    attempts: 0,
    rested: null,
    head: null,
    stops: false,
    tokens: session === null ? 0 : 30_122,
    usd: session === null ? null : 0.12,
  };
}

const GROUPS = [
  group(1, "src/cart.ts", "fixed", "fixed by a-worker", "s2"),
  group(2, "src/total.ts", "working", "being fixed by a-worker", "s3"),
  group(3, "test_shop.py", "givenUp", "still red: it committed nothing", "s4"),
  group(4, "src/lib.rs", "skipped", "skipped: unit-tests changes src/lib.rs already", null),
];

const MODEL: FixRun = {
  id: "s00000000fix1",
  projectId: "p1",
  project: "shop",
  target: "main",
  outcome: "underWay",
  says: "1 of 4 groups green, 1 worker at work",
  startedAt: minutesAgo(4),
  endedAt: null,
  commit: "8c1e0d9a3b7c1d2e5f60718293a4b5c6d7e8f901",
  red: ["test"],
  groups: GROUPS,
  notes: [],
  tokens: 90_366,
  usd: 0.36,
};

/** A run before any worker started. */
const UNUSED = { groups: [], red: [], tokens: 0, usd: null };

function ended(outcome: FixRun["outcome"], says: string, more: Partial<FixRun> = {}): FixRun {
  return { ...MODEL, outcome, says, endedAt: minutesAgo(1), ...more };
}

/** Two checks that name one report file say the same about it. */
const NOT_READ = "reports/junit.xml was not read: it declares entities";

function left(): FixRun[] {
  const [cart, total, ...others] = GROUPS;
  const fixed = [cart, total].flatMap((one) =>
    one ? [{ ...one, state: "fixed" as const, why: "fixed by a-worker" }] : [],
  );
  const says = "2 of 4 groups green; the others need you";
  const earlier = ended("green", "all checks are green on main: 3 groups fixed", {
    id: "s00000000fix0",
    startedAt: minutesAgo(200),
    endedAt: minutesAgo(190),
  });
  return [
    ended("left", says, { groups: [...fixed, ...others], notes: [NOT_READ, NOT_READ] }),
    earlier,
  ];
}

function runsOf(kind: string): FixRun[] {
  switch (kind) {
    case "looking":
      return [{ ...MODEL, ...UNUSED, says: "the checks run on main" }];
    case "left":
      return left();
    case "budget": {
      const groups = GROUPS.map((one) =>
        one.state === "working"
          ? { ...one, state: "givenUp" as const, why: "still red: the budget was used up" }
          : one,
      );
      const says = "stopped, because $0.36 of $0.30 are used: 1 of 4 groups green";
      return [ended("budget", says, { groups })];
    }
    case "nothing":
      return [ended("green", "all checks are green on main: nothing to fix", UNUSED)];
    case "failed": {
      const why = "npm ci ended with exit code 1: no space left on device";
      return [ended("failed", `the checks could not run: ${why}`, UNUSED)];
    }
    default:
      return [MODEL];
  }
}

/** The handlers of runs of `fix`. */
export function fix(desk: { readonly world: World; readonly fixes: StartFix[] }) {
  const query = new URLSearchParams(location.search);
  const kind = query.get("fix") ?? (query.get("view")?.startsWith("fix") ? "" : null);
  let runs = kind === null ? [] : runsOf(kind);
  const change = (id: string, changed: Partial<FixRun>): FixRun => {
    const found = runs.find((run) => run.id === id);
    if (found === undefined) throw new Error(`no run ${id}`);
    const run = { ...found, ...changed };
    runs = runs.map((one) => (one.id === id ? run : one));
    return run;
  };
  return {
    fixStatus: ({ project }) =>
      runs.filter((run) => project === undefined || run.projectId === project),
    startFix: (request) => {
      const { project } = request;
      desk.fixes.push(request);
      const of = desk.world.projects.find((one) => one.id === project || one.name === project);
      if (of?.trusted === false)
        throw new CallError("approval_needed", `${of.name} is not trusted`, "trust it first");
      const run: FixRun = {
        ...MODEL,
        ...UNUSED,
        id: `s00000000fix${runs.length + 1}`,
        projectId: of?.id ?? "p1",
        project: of?.name ?? "shop",
        says: "the checks run on main",
        startedAt: new Date().toISOString(),
      };
      runs = [run, ...runs];
      return run;
    },
    cancelFix: ({ id }) =>
      change(id, {
        outcome: "cancelled",
        says: "cancelled: 1 of 4 groups green",
        endedAt: new Date().toISOString(),
      }),
  } satisfies Partial<Handlers>;
}
