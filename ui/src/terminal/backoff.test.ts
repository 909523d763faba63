// @vitest-environment node
import { expect, test } from "vitest";
import { pause } from "./backoff";

test("pauses start short, grow, and stay bounded", () => {
  const pauses = [0, 1, 2, 3, 20, 1000].map((attempt) => pause(attempt, 0));
  expect(pauses).toEqual([150, 300, 600, 1200, 8000, 8000]);
  expect(pause(1, 1)).toBe(225);
});
