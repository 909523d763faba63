// What is changed of a plan itself, and whose work can be merged.
import { expect, test } from "vitest";
import type { Plan, PlanWorker } from "~/wire/types";
import { changed, settingsOf } from "./changed";
import { hasWorkByHand, mergeable } from "./reading";

const worker = (name: string, more: Partial<PlanWorker>): PlanWorker => ({
  name,
  domain: name,
  tasks: [name],
  needs: [],
  state: "done",
  sessionId: null,
  why: null,
  ...more,
});

const plan = {
  title: "Sign-in",
  atOnce: 6,
  budget: { usd: 5, tokens: null },
  workers: [
    worker("database", { commit: "d", landed: "main as 1234567" }),
    worker("backend", { commit: "b", canMerge: true }),
    worker("mail", { commit: "m", byHand: true }),
    worker("audit", {}),
    worker("frontend", { state: "running", commit: "f" }),
  ],
} as unknown as Plan;

test("only what is changed of a plan is in the request", () => {
  const before = settingsOf(plan);
  expect(changed("pl1", before, { ...before })).toBeNull();
  // An empty number of workers is the default one, which this plan has.
  expect(changed("pl1", before, { ...before, title: " Sign-in ", atOnce: null })).toBeNull();
  expect(changed("pl1", before, { ...before, title: "Log in", agent: "codex", atOnce: 2 })).toEqual(
    { id: "pl1", change: "edit", title: "Log in", agent: "codex", atOnce: 2 },
  );
});

test("limits are replaced together, and an empty time limit is none", () => {
  const before = settingsOf({ ...plan, minutes: 90 });
  expect(changed("pl1", before, { ...before, tokens: 1000, minutes: null })).toEqual({
    id: "pl1",
    change: "edit",
    budget: { usd: 5, tokens: 1000 },
    minutes: 0,
  });
});

test("work that landed or is not done is not merged, and work by hand only by hand", () => {
  expect(mergeable(plan).map(({ name }) => name)).toEqual(["backend"]);
  expect(hasWorkByHand(plan)).toBe(true);
});
