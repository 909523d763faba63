import { expect, it } from "vitest";
import { ago, agoFine, agoLong, clockTime, took } from "./time";

const at = "2026-01-01T00:00:00Z";
const after = (seconds: number) => Date.parse(at) + seconds * 1000;

it("formats the time ago in the narrowest form", () => {
  const told = [-5, 0, 59, 60, 3_599, 3_600, 86_399, 86_400, 14 * 86_400].map((s) =>
    ago(at, after(s)),
  );
  expect(told).toEqual(["now", "now", "now", "1m", "59m", "1h", "23h", "1d", "2w"]);
  expect(ago("nonsense", after(0))).toBe("now");
});

it("formats the time ago for a sentence", () => {
  expect(agoLong(at, after(10))).toBe("just now");
  expect(agoLong(at, after(120))).toBe("2 min ago");
  expect(agoLong(at, after(86_400))).toBe("1 day ago");
  expect([2, 12, 60].map((s) => agoFine(at, after(s)))).toEqual([
    "just now",
    "12 s ago",
    "1 min ago",
  ]);
});

it("names the day of a moment only if it is not today", () => {
  expect(clockTime(at, after(0))).toMatch(/^\d\d:\d\d$/);
  expect(clockTime(at, after(3 * 86_400))).toMatch(/^\S+ \d\d:\d\d$/);
});

it("formats a duration", () => {
  expect([84, 6_240, 59_970, 125_000].map(took)).toEqual([
    "84 ms",
    "6.2 s",
    "1 min 00 s",
    "2 min 05 s",
  ]);
});
