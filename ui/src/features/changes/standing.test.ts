// @vitest-environment node
import { expect, test } from "vitest";
import type { SessionReview } from "~/wire/types";
import { standing } from "./standing";

const NOW = Date.UTC(2026, 0, 1, 9, 2);
const review = (more: Partial<SessionReview> = {}): SessionReview => ({
  number: 1,
  verdict: "approved",
  by: "person",
  at: new Date(NOW - 120_000).toISOString(),
  commit: "a1b2c3d4e5f60718293a4b5c6d7e8f9001020304",
  uncommitted: 0,
  comments: 0,
  isOutdated: false,
  newer: null,
  text: "",
  ...more,
});

test.each([
  [{}, "Approved by you · at a1b2c3d4 · 2 min ago"],
  [{ uncommitted: 2 }, "Approved by you · at a1b2c3d4 · 2 files not committed · 2 min ago"],
  [
    { isOutdated: true, newer: 1 },
    "Outdated: 1 new commit · approved by you at a1b2c3d4 · 2 min ago",
  ],
  [{ isOutdated: true }, "Outdated: another commit · approved by you at a1b2c3d4 · 2 min ago"],
  [
    { verdict: "changesRequested", comments: 2 },
    "Changes requested by you · at a1b2c3d4 · 2 comments · 2 min ago",
  ],
  [
    { verdict: "changesRequested", isOutdated: true, newer: 3 },
    "Changes requested by you · at a1b2c3d4 · since then 3 new commits · 2 min ago",
  ],
] satisfies [Partial<SessionReview>, string][])("%o", (more, text) => {
  const { title, details, ago } = standing(review(more), "you", NOW);
  expect([title, ...details, ago].join(" · ")).toBe(text);
});
