import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Paced } from "./paced";

let runs = 0;
let hidden = false;
let paced: Paced;

beforeEach(() => {
  vi.useFakeTimers();
  [runs, hidden] = [0, false];
  paced = new Paced(
    () => (runs += 1),
    10_000,
    () => hidden,
  );
});
afterEach(() => vi.useRealTimers());

it("runs at once, then once in a pause however often it is asked", () => {
  paced.soon();
  expect(runs).toBe(1);
  for (let n = 0; n < 50; n += 1) paced.soon();
  vi.advanceTimersByTime(9_999);
  expect(runs).toBe(1);
  vi.advanceTimersByTime(1);
  expect(runs).toBe(2);
  vi.advanceTimersByTime(60_000);
  expect(runs).toBe(2);
});

it("runs without a pause for the person", () => {
  paced.soon();
  paced.soon();
  paced.now();
  expect(runs).toBe(2);
  vi.advanceTimersByTime(60_000);
  expect(runs).toBe(2);
});

it("does not run while nobody looks, and catches up once", () => {
  paced.soon();
  hidden = true;
  paced.soon();
  vi.advanceTimersByTime(60_000);
  paced.soon();
  expect(runs).toBe(1);
  hidden = false;
  paced.look();
  expect(runs).toBe(2);
  paced.look();
  vi.advanceTimersByTime(60_000);
  expect(runs).toBe(2);
});

it("does not run after its end", () => {
  paced.soon();
  paced.soon();
  paced.stop();
  vi.advanceTimersByTime(60_000);
  expect(runs).toBe(1);
});
