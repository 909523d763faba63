import { expect, it } from "vitest";
import { score } from "./match";

const titles = [
  "Search or run a command",
  "Show or hide the sidebar",
  "Show or hide session details",
  "Stop session",
  "Stop all sessions",
  "Settings",
  "Show notices",
  "Kill all workers",
  "api-endpoints",
];

function found(query: string): string[] {
  return titles
    .map((title) => ({ title, score: score(query, { title }) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score)
    .map((one) => one.title);
}

it("finds by the beginnings of words, best first", () => {
  expect(found("se")).toEqual([
    "Settings",
    "Search or run a command",
    "Stop session",
    "Stop all sessions",
    "Show or hide session details",
  ]);
  expect(found("stop")).toEqual(["Stop session", "Stop all sessions"]);
  expect(found("end")).toEqual(["api-endpoints"]);
});

it("finds inside words, but not by one or two letters", () => {
  expect(found("bar")).toEqual(["Show or hide the sidebar"]);
  expect(found("ti")).toEqual([]);
});

it("matches initials, but not scattered letters", () => {
  expect(found("kaw")).toEqual(["Kill all workers"]);
  expect(found("shoside")).toEqual(["Show or hide the sidebar"]);
  expect(found("stgs")).toEqual([]);
  expect(found("swn")).toEqual([]);
});

it("requires every word, in any order", () => {
  expect(found("session stop")).toEqual(["Stop session", "Stop all sessions"]);
  expect(found("stop theme")).toEqual([]);
  expect(found("")).toHaveLength(titles.length);
});

it("weights a title higher than a branch or a project", () => {
  const title = score("cart", { title: "Fix flaky cart test", others: ["storefront"] });
  const branch = score("cart", { title: "Totals", others: ["feature/cart"] });
  expect(title).toBeGreaterThan(branch);
  expect(branch).toBeGreaterThan(0);
});

it("stays fast on long and repetitive text", () => {
  const title = "a ".repeat(400);
  const from = performance.now();
  expect(score("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", { title })).toBe(0);
  expect(performance.now() - from).toBeLessThan(1_000);
});
