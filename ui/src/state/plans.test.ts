// The plans that the window knows: which answer counts, and whose work a session does.
import { expect, test } from "vitest";
import type { Plan } from "~/wire/types";
import { planOf, Plans } from "./plans.svelte";

const plan = (id: string, minute: number, sessionId: string | null = null, title = id): Plan => ({
  id,
  projectId: "p1",
  title,
  state: "running",
  atOnce: 6,
  split: "domain",
  tasks: [],
  workers: [
    { name: "a", domain: "a", tasks: [], needs: [], state: "running", sessionId, why: null },
  ],
  advice: "",
  warning: null,
  report: "",
  createdAt: `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`,
});

test("the newest plan is first, and a session belongs to the newest plan that names it", () => {
  const plans = new Plans();
  expect(plans.all).toBeNull();
  plans.list(plans.asks(), [plan("pl1", 1, "s1"), plan("pl2", 2, "s1")]);
  expect(plans.all?.map(({ id }) => id)).toEqual(["pl2", "pl1"]);
  expect(plans.part("s1")?.plan.id).toBe("pl2");
  expect(plans.part("s2")).toBeUndefined();
});

test("an answer to an earlier request overwrites nothing", () => {
  const plans = new Plans();
  const [list, early, late] = [plans.asks(), plans.asks(), plans.asks()];
  plans.one(late, "pl1", plan("pl1", 1, null, "late"));
  plans.one(early, "pl1", plan("pl1", 1, null, "early"));
  plans.list(list, [plan("pl1", 1, null, "listed"), plan("pl2", 2)]);
  expect(plans.all?.map(({ title }) => title)).toEqual(["pl2", "late"]);
  plans.one(plans.asks(), "pl1", null);
  plans.list(list, [plan("pl1", 1, null, "listed")]);
  expect(plans.plan("pl1")).toBeUndefined();
});

test("what an operation returns is as old as its request", async () => {
  const plans = new Plans();
  let answer: (made: Plan) => void = () => {};
  const sent = plans.adopt(() => new Promise((done) => (answer = done)));
  plans.one(plans.asks(), "pl1", plan("pl1", 1, null, "newer"));
  answer(plan("pl1", 1, null, "older"));
  expect((await sent).title).toBe("older");
  expect(plans.plan("pl1")?.title).toBe("newer");
});

test("a list is newer than what was asked for before it", () => {
  const plans = new Plans();
  const [early, list] = [plans.asks(), plans.asks()];
  plans.list(list, [plan("pl1", 1, null, "listed")]);
  plans.one(early, "pl1", plan("pl1", 1, null, "early"));
  expect(plans.plan("pl1")?.title).toBe("listed");
});

test("a subject names its plan", () => {
  expect(planOf("plan:pl1")).toBe("pl1");
  expect(["session:s1", "engine", "plan:"].map(planOf)).toEqual([null, null, null]);
});
