import { expect, test } from "vitest";
import type { Plan } from "~/wire/types";
import { factsOf } from "./facts";

type Set = Partial<Pick<Plan, "split" | "atOnce" | "budget" | "minutes" | "file" | "results">>;

const said = (set: Set) =>
  factsOf({ split: "domain", atOnce: 6, ...set } as Plan).map(({ text, path = "" }) =>
    `${text} ${path}`.trim(),
  );

test("the details of a plan say what is set for it, and nothing else", () => {
  expect(said({})).toEqual(["one worker for each domain", "at most 6 at once"]);
  expect(
    said({
      split: "task",
      atOnce: 2,
      budget: { usd: 5, tokens: 2_000_000 },
      minutes: 90,
      file: "docs/plan.md",
      results: "/tmp/results",
    }),
  ).toEqual([
    "one worker for each task",
    "at most 2 at once",
    "limit $5.00, 2.0M tokens, 90 min",
    "from docs/plan.md",
    "results in /tmp/results",
  ]);
  expect(said({ budget: { usd: null, tokens: 100 } })).toContain("limit 100 tokens");
});
