// Plans as the window reads them: states of tasks, order, places in the graph, times, and the request of the dialog.
import { expect, test } from "vitest";
import { CallError } from "~/wire/error";
import type { Plan, PlanWorker, ShareState, Task } from "~/wire/types";
import {
  EMPTY,
  errorAt,
  goalErrorAt,
  goalOf,
  isDocument,
  meantBy,
  pathOf,
  reopened,
  requestOf,
  withTemplate,
} from "./draft";
import { layersOf, waves } from "./layers";
import { BOX, drawingOf } from "./layout";
import { limitsOf, resumeOf, wrongLimit } from "./limits";
import { planLook, taskLine, taskLook } from "./looks";
import {
  actsOf,
  doneOf,
  isEditable,
  isIn,
  isMovable,
  neededBy,
  projectsOf,
  sharesOf,
  tallyOf,
  worksOf,
} from "./reading";
import { near, phasesOf } from "./sight";
import { chartOf, lengthOf, spanOf } from "./spans";
import { needsYou, tipOf } from "./sums";

const NOW = Date.parse("2026-01-01T02:00:00Z");

const task = (id: string, needs: string[] = [], stage = 0): Task => ({
  id,
  title: `Do ${id}`,
  domain: "general",
  needs,
  stage,
  done: false,
});
const worker = (id: string, needs: string[], state: ShareState): PlanWorker => ({
  name: id,
  domain: "general",
  tasks: [id],
  needs,
  state,
  sessionId: null,
  why: null,
});

/** A plan with one worker for each task; `states` leaves out what was done before. */
function plan(tasks: Task[], states: Record<string, ShareState>, state: Plan["state"] = "running") {
  const made: Plan = {
    id: "pl1",
    projectId: "p1",
    title: "A plan",
    state,
    atOnce: 6,
    split: "domain",
    tasks,
    workers: tasks.flatMap(({ id, needs = [] }) =>
      states[id] === undefined ? [] : [worker(id, needs, states[id])],
    ),
    advice: "",
    warning: null,
    report: "",
    createdAt: "2026-01-01T00:00:00Z",
  };
  return made;
}

test("a plan over several projects is in each of them, and names them", () => {
  const one = plan([task("a")], { a: "waiting" });
  expect([isIn(one, "p1"), isIn(one, "p2"), projectsOf(one)]).toEqual([true, false, ""]);
  const projects = [
    { id: "p1", name: "shop", path: "/shop" },
    { id: "p2", name: "api", path: "/api" },
  ];
  const several = { ...one, projects };
  expect([isIn(several, "p1"), isIn(several, "p2"), isIn(several, "p3")]).toEqual([
    true,
    true,
    false,
  ]);
  expect(projectsOf(several)).toBe("shop, api");
});

test("a failure holds what needs it, directly or through others, and nothing else", () => {
  const tasks = [task("a"), task("b", ["a"]), task("c", ["b"]), task("d"), task("e")];
  const made = plan(tasks, { a: "failed", b: "waiting", c: "waiting", d: "running" });
  expect(worksOf(made).map(({ state }) => state)).toEqual([
    "failed",
    "held",
    "held",
    "running",
    "before",
  ]);
  const tally = tallyOf(made);
  expect([tally.all, doneOf(tally), tally.held, tally.running]).toEqual([5, 1, 2, 1]);
  expect(neededBy(made, "a").map(({ id }) => id)).toEqual(["b"]);
});

test("a failure holds the stages after its own", () => {
  const tasks = [task("a"), task("b"), task("c", [], 1)];
  const made = plan(tasks, { a: "failed", b: "waiting", c: "waiting" });
  expect(sharesOf(made).map(({ state }) => state)).toEqual(["failed", "waiting", "held"]);
});

test("a plan that is over holds nothing, and nothing of it runs or waits for the person", () => {
  const tasks = [task("a"), task("b", ["a"]), task("c"), task("d", ["c"])];
  const states = { a: "failed", b: "waiting", c: "running", d: "waiting" } as const;
  const over = plan(tasks, states, "cancelled");
  over.workers = over.workers.map((one) => ({ ...one, why: "held: a failed; retry or skip it" }));
  const works = worksOf(over);
  expect(works.map(({ state }) => state)).toEqual(["failed", "waiting", "stopped", "waiting"]);
  expect([tallyOf(over).running, tallyOf(over).held]).toEqual([0, 0]);
  const lines = works.map(({ state, worker }) => taskLine(over, state, worker, undefined, NOW));
  expect(lines.map((line) => line !== "")).toEqual([true, false, false, false]);
  const looks = works.map(({ state, worker }) => taskLook(over, state, worker, undefined));
  expect(looks.map(({ word, tone }) => `${word} ${tone}`)).toEqual([
    "Failed bad",
    "Not started idle",
    "Stopped idle",
    "Not started idle",
  ]);
  expect(needsYou(over, () => undefined)).toBe(false);
});

test("work that could not be merged needs the person, also once the plan is complete", () => {
  const done = plan([task("a"), task("b")], { a: "done", b: "done" }, "complete");
  expect(needsYou(done, () => undefined)).toBe(false);
  const [a, b] = done.workers;
  if (a === undefined || b === undefined) throw new Error("both workers are there");
  a.mergeFailed = "a conflicts with main in cart.ts";
  expect(needsYou(done, () => undefined)).toBe(true);
  expect(planLook(done, 1).word).toBe("Needs you");
  expect(taskLook(done, "done", a, undefined)).toMatchObject({ tone: "need", word: "Not merged" });
  expect(taskLine(done, "done", a, undefined, NOW)).toBe("A conflicts with main in cart.ts.");
  expect(taskLook(done, "done", b, undefined).word).toBe("Done");
});

test("a held task says why, and not twice that it is held", () => {
  const one = { ...worker("b", ["a"], "waiting"), why: "held: a failed; retry or skip it" };
  expect(taskLine(plan([], {}), "held", one, undefined, NOW)).toBe("a failed; retry or skip it.");
  expect(taskLook(plan([], {}), "held", one, undefined)).toMatchObject({
    tone: "idle",
    hollow: true,
  });
});

test("a plan that a limit paused needs the person; one that the person paused does not", () => {
  const paused = plan([task("a")], { a: "waiting" }, "paused");
  const spent = { ...paused, why: "its workers used $5.02 of $5.00" };
  expect([paused, spent].map((one) => needsYou(one, () => undefined))).toEqual([false, true]);
  expect([paused, spent].map((one) => planLook(one, 0).tone)).toEqual(["idle", "need"]);
});

test("a plan that a session handed in needs the person, until it is run", () => {
  const kept = plan([task("a")], { a: "waiting" }, "proposed");
  const handedIn = { ...kept, personRuns: true };
  const begun = { ...handedIn, state: "running" as const };
  const all = [kept, handedIn, begun];
  expect(all.map((one) => needsYou(one, () => undefined))).toEqual([false, true, false]);
  expect(all.map((one) => planLook(one, 0).tone)).toEqual(["accent", "need", "work"]);
  expect(planLook(handedIn, 0).word).toBe("Needs you");
  expect(all.map((one) => tipOf(one, 0)?.split(".")[0])).toEqual([
    undefined,
    "An agent made this plan for you",
    undefined,
  ]);
});

test("a task is edited while nobody works on it", () => {
  const states = ["waiting", "running", "done", "failed", "skipped"] as const;
  const editable = states.filter((state) => {
    const made = plan([task("a")], { a: state });
    return worksOf(made).every((work) => isEditable(made, work));
  });
  expect(editable).toEqual(["waiting", "failed"]);
});

test("a task moves to another project before anybody has begun it, unless it shares its worker or has a conductor", () => {
  const made = plan([task("a")], { a: "waiting" });
  const one = worker("a", [], "waiting");
  const failed = { ...one, state: "failed" as const };
  expect(isMovable(made, one)).toBe(true);
  expect(isMovable(made, { ...failed, sessionId: null })).toBe(true);
  expect(isMovable(made, { ...failed, sessionId: "s1" })).toBe(false);
  expect(isMovable(made, { ...one, state: "running" })).toBe(false);
  expect(isMovable(made, { ...one, tasks: ["a", "b"] })).toBe(false);
  expect(isMovable({ ...made, conductor: "s1" }, one)).toBe(false);
  expect(isMovable({ ...made, state: "cancelled" }, one)).toBe(false);
});

test("what can be done with a worker follows from its state, and ends with the plan", () => {
  const states = ["waiting", "running", "done", "failed", "skipped"] as const;
  const acts = (state: Plan["state"]) =>
    states.map((one) => actsOf(plan([], {}, state), worker("a", [], one)).join("+"));
  expect(acts("running")).toEqual([
    "done+skip",
    "anew+done+skip",
    "",
    "retry+done+skip",
    "retry+done",
  ]);
  const stuck = { ...worker("a", [], "running"), isStuck: true };
  expect(actsOf(plan([], {}), stuck)).toEqual(["retry", "done", "skip"]);
  expect(acts("complete")).toEqual(["", "", "", "", ""]);
});

test("each task stands after all that it needs, and after the stages before its own", () => {
  const items = [
    { id: "ui", needs: ["api"], stage: 0 },
    { id: "db", needs: [], stage: 0 },
    { id: "api", needs: ["db", "gone"], stage: 0 },
    { id: "docs", needs: [], stage: 0 },
    { id: "later", needs: [], stage: 3 },
  ];
  expect(Object.fromEntries(layersOf(items))).toEqual({ db: 0, docs: 0, api: 1, ui: 2, later: 3 });
  expect(waves(items).map((wave) => wave.map(({ id }) => id).join("+"))).toEqual([
    "db+docs",
    "api",
    "ui",
    "later",
  ]);
  const circle = [
    { id: "a", needs: ["b"], stage: 0 },
    { id: "b", needs: ["a"], stage: 0 },
  ];
  expect(waves(circle)).toHaveLength(1);
});

/** Tasks of which each needs up to two of those before it. */
const many = (size: number) =>
  Array.from({ length: size }, (_, at) => ({
    id: `t${at}`,
    needs: [at - 3 - (at % 5), at - 7 - (at % 3)]
      .filter((need) => need >= 0 && at % 6 !== 0)
      .map((need) => `t${need}`),
    stage: 0,
  }));

test("in the graph, lines lead to the right, and no two tasks cover each other", () => {
  for (const size of [1, 2, 12, 60, 300]) {
    const items = many(size);
    const { spots, lines, width, height } = drawingOf(items);
    expect(spots.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort());
    const at = new Map(spots.map((spot) => [spot.id, spot]));
    for (const { from, to } of lines) {
      expect((at.get(from)?.x ?? 0) + BOX.width).toBeLessThan(at.get(to)?.x ?? 0);
    }
    expect(lines).toHaveLength(items.reduce((sum, { needs }) => sum + new Set(needs).size, 0));
    for (const one of spots) {
      const covers = (other: (typeof spots)[number]) =>
        one !== other && one.x === other.x && Math.abs(one.y - other.y) < BOX.height;
      expect(spots.some(covers)).toBe(false);
      expect(one.x >= 0 && one.y >= 0).toBe(true);
      expect(one.x + BOX.width <= width && one.y + BOX.height <= height).toBe(true);
    }
  }
});

test("tasks without lines stand in a grid, and no task at all draws nothing", () => {
  const alone = Array.from({ length: 9 }, (_, at) => ({ id: `${at}`, needs: [], stage: 0 }));
  const { spots, lines } = drawingOf(alone);
  expect(lines).toEqual([]);
  expect(new Set(spots.map(({ x }) => x)).size).toBe(4);
  expect(new Set(spots.map(({ y }) => y)).size).toBe(3);
  expect(drawingOf([])).toEqual({ spots: [], lines: [], width: 0, height: 0 });
});

test("thousands of tasks are placed at once", () => {
  const items = many(2_000);
  const before = performance.now();
  expect(drawingOf(items).spots).toHaveLength(2_000);
  // Generous: other libraries need a minute.
  expect(performance.now() - before).toBeLessThan(3_000);
});

test("arrow keys follow the lines, then the columns", () => {
  const items = [
    { id: "a", needs: [], stage: 0 },
    { id: "b", needs: ["a"], stage: 0 },
    { id: "c", needs: ["a"], stage: 0 },
    { id: "d", needs: ["b"], stage: 0 },
  ];
  const { spots, lines } = drawingOf(items);
  const to = (id: string, key: string) => near(spots, lines, id, key);
  expect(to("d", "ArrowLeft")).toBe("b");
  expect(to("b", "ArrowDown")).toBe("c");
  expect(to("c", "ArrowUp")).toBe("b");
  expect(to("c", "ArrowLeft")).toBe("a");
  expect(to("c", "ArrowRight")).toBe("d");
  expect(to("a", "ArrowLeft")).toBeNull();
  expect(to("a", "x")).toBeNull();
});

test("phases stand above their columns", () => {
  const tasks = [
    { ...task("a", [], 0), phase: "Setup" },
    { ...task("b", ["a"], 0), phase: "Setup" },
    { ...task("c", [], 2), phase: "Polish" },
  ];
  const made = plan(tasks, { a: "waiting", b: "waiting", c: "waiting" });
  const works = new Map(worksOf(made).map((work) => [work.task.id, work]));
  const { spots } = drawingOf(tasks.map(({ id, needs = [], stage }) => ({ id, needs, stage })));
  expect(phasesOf(spots, works).map(({ name }) => name)).toEqual(["Setup", "Polish"]);
  expect(phasesOf(spots.slice(0, 2), works)).toEqual([]);
});

test("a worker's time is the plan's, and goes on while it works", () => {
  const one = { ...worker("a", [], "running"), startedAt: "2026-01-01T01:48:00Z" };
  const under = plan([], {});
  expect(spanOf(under, one, undefined, NOW)).toMatchObject({ to: NOW, open: true });
  const done = { ...one, state: "done" as const, endedAt: "2026-01-01T01:59:00Z" };
  expect(spanOf(under, done, undefined, NOW)).toMatchObject({ open: false });
  expect(spanOf(under, worker("b", [], "waiting"), undefined, NOW)).toBeNull();
  const over = { state: "cancelled" as const, endedAt: "2026-01-01T01:50:00Z" };
  expect(spanOf(over, one, undefined, NOW)).toMatchObject({
    to: Date.parse(over.endedAt),
    open: false,
  });
  expect([45_000, 59_600, 720_000, 7_500_000].map(lengthOf)).toEqual([
    "45 s",
    "1 min",
    "12 min",
    "2 h 05 min",
  ]);
});

test("the timeline begins with the first worker and has few marks", () => {
  const made = plan([task("a"), task("b", ["a"])], { a: "done", b: "running" });
  const [a, b] = made.workers;
  if (a) [a.startedAt, a.endedAt] = ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"];
  if (b) b.startedAt = "2026-01-01T01:00:00Z";
  const chart = chartOf(made, () => undefined, NOW);
  expect(chart?.lanes.map(({ left, width }) => [left, width])).toEqual([
    [0, 0.5],
    [0.5, 0.5],
  ]);
  expect(chart?.ticks.map(({ at }) => lengthOf(at))).toEqual([
    "0 s",
    "15 min",
    "30 min",
    "45 min",
    "1 h 00 min",
    "1 h 15 min",
    "1 h 30 min",
    "1 h 45 min",
    "2 h 00 min",
  ]);
  expect(chartOf(made, () => undefined, NOW, 3)?.ticks).toHaveLength(3);
  expect(chartOf(plan([], {}), () => undefined, NOW)).toBeNull();
});

test("the content of a file is recognised, and lists are not taken for one", () => {
  const documents = ["- [ ] a\n- [x] b", "# Plan\n\n  1. [ ] a", '[{"title":"a"}]', '{"tasks":[]}'];
  const lists = ["a, b", "[P] a\nb", "[ ] a", "{ unfinished", "- a\n- b", ""];
  expect(documents.map(isDocument)).toEqual(documents.map(() => true));
  expect(lists.map(isDocument)).toEqual(lists.map(() => false));
});

test("what follows execute is a file, an issue or beads", () => {
  const url = "https://github.com/acme/shop/issues/42";
  const issues = ["#42", "42", "GH-42", "ENG-42", "acme/shop#42", url];
  const beads = ["beads", ".beads", ".beads/", "beads:shop-a1.2"];
  const files = [
    "docs/plan.md",
    "plan#1",
    "beads.md",
    ".beads/issues.jsonl",
    "beads:",
    "2024-10",
    "a b.md",
  ];
  expect(issues.map(meantBy)).toEqual(issues.map(() => "epic"));
  expect(beads.map(meantBy)).toEqual(beads.map(() => "beads"));
  expect(files.map(meantBy)).toEqual(files.map(() => "file"));
});

test("the request has only what was chosen, and a path instead of a text", () => {
  const draft = { ...EMPTY, text: "a, b", projectId: "p1" };
  expect(requestOf(draft)).toEqual({ text: "a, b", projectId: "p1", split: "domain" });
  expect(requestOf({ ...draft, text: "  " })).toBeNull();
  expect(requestOf({ ...draft, projectId: "" })).toBeNull();
  expect(requestOf({ ...draft, file: "a.md", usd: 5, minutes: 30, atOnce: 3, tag: "x " })).toEqual({
    text: "a, b",
    projectId: "p1",
    split: "domain",
    file: true,
    budget: { usd: 5, tokens: null },
    minutes: 30,
    atOnce: 3,
    tag: "x",
  });
  const path = { ...draft, text: "execute tasks from docs/a b.md " };
  expect(requestOf(path)).toMatchObject({ text: "", path: "docs/a b.md", file: true });
  expect(pathOf({ text: "execute a\nand b", file: null })).toBeNull();
});

test("a template gives each of its tasks a worker, which the person may change", () => {
  const draft = withTemplate({ ...EMPTY, text: "a, b", projectId: "p1" }, "review");
  expect(requestOf(draft)).toMatchObject({ template: "review", split: "task" });
  expect(requestOf({ ...draft, split: "domain" })).toMatchObject({ split: "domain" });
  expect(requestOf(withTemplate(draft, null))).toEqual({
    text: "a, b",
    projectId: "p1",
    split: "domain",
  });
});

test("a goal is a request of its own, and tasks that were typed before it are not lost", () => {
  const draft = { ...EMPTY, text: "a, b", goal: " Sell shoes\n", projectId: "p1", usd: 5 };
  expect(goalOf(draft)).toBeNull();
  const wanted = { ...draft, begins: "goal" as const };
  expect(requestOf(wanted)).toBeNull();
  expect(goalOf(wanted)).toEqual({
    goal: "Sell shoes",
    projectId: "p1",
    split: "domain",
    budget: { usd: 5, tokens: null },
  });
  expect(goalOf({ ...wanted, template: "review", conductors: true, usd: null })).toEqual({
    goal: "Sell shoes",
    projectId: "p1",
    split: "domain",
    template: "review",
    conductors: true,
  });
  for (const missing of [{ goal: " " }, { projectId: "" }, { usd: 0 }]) {
    expect(goalOf({ ...wanted, ...missing })).toBeNull();
  }
  const failed = new CallError("failed", "the planner mine: task 1 names the agent shell", "try");
  expect(goalErrorAt(failed)).toEqual({
    field: "text",
    text: "The planner mine: task 1 names the agent shell.\nTry.",
  });
});

test("an amount that is none is said at its field, and asks for no plan without a limit", () => {
  const draft = { ...EMPTY, text: "a", projectId: "p1" };
  const wrong = [
    { usd: 0 },
    { usd: -5 },
    { minutes: 1.5 },
    { minutes: -5 },
    { minutes: 0 },
    { minutes: NaN },
    { atOnce: 51 },
    { tokens: 0.5 },
  ];
  for (const amount of wrong) {
    expect(wrongLimit({ ...draft, ...amount })?.field).toBe(Object.keys(amount)[0]);
    expect(requestOf({ ...draft, ...amount })).toBeNull();
  }
  expect(wrongLimit({ ...draft, usd: 0.5, minutes: 30, atOnce: 50 })).toBeNull();
  expect(reopened({ ...draft, usd: NaN, tokens: NaN, minutes: -5 })).toMatchObject({
    usd: null,
    tokens: null,
    minutes: -5,
  });
});

test("a plan is resumed with another budget of tokens", () => {
  const before = limitsOf({ budget: { usd: null, tokens: 100 }, minutes: 30 });
  expect(resumeOf("pl1", { ...before, tokens: 200 })).toEqual({
    id: "pl1",
    change: "resume",
    budget: { usd: null, tokens: 200 },
    minutes: 30,
  });
  expect(resumeOf("pl1", { ...before, minutes: null }).minutes).toBe(0);
  expect(wrongLimit({ ...before, tokens: 1.5 })?.field).toBe("tokens");
});

test("an error stands at the field that it is about", () => {
  const at = (message: string, code: CallError["code"] = "invalid") =>
    errorAt(new CallError(code, message));
  expect(at("the plan: these tasks wait for each other: a → b → a")).toEqual({
    field: "text",
    text: "These tasks wait for each other: a → b → a.",
  });
  expect(at("the plan: it has several lists of tasks: name one of a, b").field).toBe("tag");
  expect(at("the plan: it is not text: a plan is Markdown, JSON or a list of tasks").field).toBe(
    "text",
  );
  expect(at("atOnce: 99 workers at once; 1 to 50 are possible")).toEqual({
    field: "atOnce",
    text: "99 workers at once; 1 to 50 are possible.",
  });
  expect(at("no agent codex is installed", "agent_missing").field).toBe("agent");
  expect(at("no answer", "unavailable").field).toBeNull();
});
