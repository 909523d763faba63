import { expect, it } from "vitest";
import type { ProjectId } from "~/wire/types";
import { requestOf, startOf, wrongNumber } from "./start";

const project = "p1" as ProjectId;
const usual = startOf(null);

it("asks for nothing but the project unless something was chosen", () => {
  expect(requestOf(project, usual)).toEqual({ project });
});

it("asks for what was chosen, and proposes it the next time", () => {
  const chosen = { ...usual, agent: "codex", workers: 5, usd: 2.5, minutes: 30 };
  expect(requestOf(project, chosen)).toEqual({
    project,
    agent: "codex",
    workers: 5,
    usd: 2.5,
    minutes: 30,
  });
  expect(startOf(JSON.stringify(chosen))).toEqual(chosen);
});

it.each([
  ["nothing", null],
  ["text that was cut off", '{"usd":'],
  ["another shape", "[1]"],
  ["null", "null"],
  ["words for numbers", '{"agent":1,"usd":"2"}'],
  ["a number that is not possible", '{"workers":99}'],
])("proposes the usual after %s", (_what, kept) => {
  expect(startOf(kept)).toEqual(usual);
});

it.each([
  ["workers", 0],
  ["workers", 21],
  ["workers", 1.5],
  ["workers", NaN],
  ["attempts", 11],
  ["usd", 0],
  ["usd", NaN],
  ["tokens", 0.5],
  ["minutes", -1],
] as const)("refuses %s of %s", (field, value) => {
  expect(wrongNumber({ ...usual, [field]: value })?.field).toBe(field);
});

it("takes the bounds", () => {
  expect(wrongNumber({ ...usual, workers: 20, attempts: 10, usd: 0.01, tokens: 1 })).toBeNull();
});
