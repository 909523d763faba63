import { describe, expect, it } from "vitest";
import type { StoryEntry } from "~/wire/types";
import { byDay, isLong, wordsToFind } from "./story";

const entry = (at: string, more: Partial<StoryEntry> = {}): StoryEntry => ({
  at,
  until: null,
  kind: "prompt",
  tone: "plain",
  text: "Prompt",
  detail: "",
  commit: null,
  ...more,
});

describe("a story", () => {
  it("is grouped by day, in the order of time", () => {
    const now = new Date(2026, 10, 25, 9).getTime();
    const on = (day: number, hour: number) => entry(new Date(2026, 10, day, hour).toISOString());
    const days = byDay([on(12, 8), on(24, 23), on(25, 0), on(25, 8)], now);
    expect(days.map(({ entries }) => entries.length)).toEqual([1, 1, 2]);
    expect(days.slice(1).map(({ title }) => title)).toEqual(["Yesterday", "Today"]);
    expect(days[0]?.title).toContain("12");
    const keys = (all: StoryEntry[]) =>
      byDay(all, now).flatMap(({ entries }) => entries.map(({ key }) => key));
    const three = keys([on(24, 1), on(24, 1), on(25, 1)]);
    expect(new Set(three).size).toBe(3);
    expect(keys([on(12, 8), on(24, 1), on(24, 1), on(25, 1), on(25, 2)]).slice(1, 4)).toEqual(
      three,
    );
  });

  it("finds the first words that the terminal drew on one line", () => {
    const found = (kind: StoryEntry["kind"], detail: string) =>
      wordsToFind(entry("2026-01-01T00:00:00Z", { kind, detail }));
    expect(found("prompt", "\n## Build the cart\nand test it")).toBe("Build the cart");
    expect(found("answer", "**Done.** All tests pass")).toBe("Done.");
    expect(found("tools", "Bash: npm test -- cart")).toBe("npm test -- cart");
    expect(found("answer", "Fixed: the cart")).toBe("Fixed: the cart");
    expect(found("prompt", "x".repeat(60))).toBe("x".repeat(28));
    expect(found("commit", "Add a cart")).toBeNull();
    expect(found("prompt", " \n`` \n")).toBeNull();
  });

  it("cuts long texts", () => {
    expect(isLong("short")).toBe(false);
    expect(isLong("line\n".repeat(9))).toBe(true);
    expect(isLong("x".repeat(601))).toBe(true);
  });
});
