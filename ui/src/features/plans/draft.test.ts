// @vitest-environment node
import { expect, test } from "vitest";
import { EMPTY, goalOf, pathOf, requestOf } from "./draft";

test("a path is also named as people write it who bring commands along", () => {
  const of = (text: string) => pathOf({ text, file: null });
  const file = ".opencode/plans/payment-system-plan.md";
  expect(of(`/orchestrate execute ${file}`)).toBe(file);
  expect(of(` /Orchestrate  execute tasks from ${file}\n`)).toBe(file);
  expect(of(`execute ${file}`)).toBe(file);
  for (const text of [
    "/orchestrate Create API, Write tests",
    "/orchestrated execute a.md",
    "/orchestrate execute a\nand b",
    "orchestrate execute a.md",
  ])
    expect(of(text)).toBeNull();
});

test("a budget of tokens and a priority are part of a request, if they were chosen", () => {
  const draft = { ...EMPTY, text: "a", goal: "b", projectId: "p1" };
  const chosen = { ...draft, tokens: 2_000_000, priority: "high" as const };
  const options = { budget: { usd: null, tokens: 2_000_000 }, priority: "high" };
  expect(requestOf(chosen)).toEqual({ ...requestOf(draft), ...options });
  expect(requestOf({ ...chosen, usd: 5 })?.budget).toEqual({ usd: 5, tokens: 2_000_000 });
  const goal = goalOf({ ...chosen, begins: "goal" });
  expect(goal).toEqual({ goal: "b", projectId: "p1", split: "domain", ...options });
});
