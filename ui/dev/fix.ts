// A made-up run of `fix`: under way in the first project with `?fix` or in its own view, none in the others.
import type { FixGroup, FixRun, FixState } from "~/wire/types";
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

/** The handlers of runs of `fix`. */
export function fix(desk: { readonly world: World }) {
  const query = new URLSearchParams(location.search);
  const model: FixRun = {
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
    groups: [
      group(1, "src/cart.ts", "fixed", "fixed by a-worker", "s2"),
      group(2, "src/total.ts", "working", "being fixed by a-worker", "s3"),
      group(3, "test_shop.py", "givenUp", "still red: it committed nothing", "s4"),
      group(4, "src/lib.rs", "skipped", "skipped: unit-tests changes src/lib.rs already", null),
    ],
    notes: [],
    tokens: 90_366,
    usd: 0.36,
  };
  let runs: FixRun[] = query.has("fix") || query.get("view")?.startsWith("fix") ? [model] : [];
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
    startFix: ({ project }) => {
      const of = desk.world.projects.find((one) => one.id === project || one.name === project);
      const run: FixRun = {
        ...model,
        id: `s00000000fix${runs.length + 1}`,
        projectId: of?.id ?? "p1",
        project: of?.name ?? "shop",
        says: "the checks run on main",
        outcome: "underWay",
        endedAt: null,
        groups: [],
        tokens: 0,
        usd: null,
      };
      runs = [run, ...runs];
      return run;
    },
    cancelFix: ({ id }) =>
      change(id, {
        outcome: "cancelled",
        says: "cancelled: 1 of 4 groups green",
        endedAt: minutesAgo(0),
      }),
  } satisfies Partial<Handlers>;
}
