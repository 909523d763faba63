import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Platform } from "~/platform/types";
import { reportView } from "./report-view";

let hasFocus = true;
const reports: unknown[] = [];
const platform = {
  call: (_: string, request: { session: string | null }) => {
    reports.push(request.session);
    return Promise.resolve({});
  },
} as unknown as Platform;

beforeEach(() => {
  vi.useFakeTimers();
  hasFocus = true;
  reports.length = 0;
  vi.spyOn(document, "hasFocus").mockImplementation(() => hasFocus);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("repeats the session in view while the page has the focus, and takes it back", () => {
  const stop = reportView(platform, "page", "s1");
  expect(reports).toEqual(["s1"]);
  vi.advanceTimersByTime(45_000);
  expect(reports).toEqual(["s1", "s1", "s1"]);
  hasFocus = false;
  window.dispatchEvent(new Event("blur"));
  vi.advanceTimersByTime(45_000);
  expect(reports.slice(3)).toEqual([null]);
  hasFocus = true;
  window.dispatchEvent(new Event("focus"));
  stop();
  expect(reports.slice(4)).toEqual(["s1", null]);
  vi.advanceTimersByTime(45_000);
  expect(reports).toHaveLength(6);
});

it("reports nothing while nothing is in view", () => {
  reportView(platform, "page", null)();
  hasFocus = false;
  reportView(platform, "page", "s1")();
  expect(reports).toEqual([]);
});

it("takes nobody to be looking who has not touched anything for two minutes", () => {
  const stop = reportView(platform, "page", "s1");
  vi.advanceTimersByTime(140_000);
  expect(reports.at(-1)).toBe(null);
  const before = reports.length;
  vi.advanceTimersByTime(60_000);
  expect(reports).toHaveLength(before);
  window.dispatchEvent(new Event("keydown"));
  expect(reports.at(-1)).toBe("s1");
  stop();
});
