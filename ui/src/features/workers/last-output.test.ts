import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Call } from "~/wire/client";
import { LastOutput } from "./last-output.svelte";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function setUp() {
  let reads = 0;
  const call = (() => {
    reads += 1;
    return Promise.resolve({ id: "s", text: `read ${reads}`, title: "", isCheckpoint: false });
  }) as unknown as Call;
  return { output: new LastOutput(call, "s"), reads: () => reads };
}

test("reads when looked at, and again only after a change", async () => {
  const { output, reads } = setUp();
  output.change("1");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(reads()).toBe(0);
  output.look(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(1);
  expect(output.lines).toEqual(["read 1"]);
  output.change("2");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(2);
});

test("many changes in a moment are one read, and the last one is not missed", async () => {
  const { output, reads } = setUp();
  output.look(true);
  for (let n = 0; n < 50; n += 1) output.change(String(n));
  await vi.advanceTimersByTimeAsync(10);
  output.change("last");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(2);
});

test("out of view nothing is read", async () => {
  const { output, reads } = setUp();
  output.look(true);
  output.change("1");
  await vi.advanceTimersByTimeAsync(5000);
  output.look(false);
  output.change("2");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(1);
});

test("a session that works is read every few seconds while someone looks, and no longer", async () => {
  const { output, reads } = setUp();
  output.look(true);
  output.change("1", true);
  await vi.advanceTimersByTimeAsync(10_100);
  expect(reads()).toBeGreaterThanOrEqual(5);
  expect(reads()).toBeLessThanOrEqual(6);
  output.look(false);
  await vi.advanceTimersByTimeAsync(3_000);
  const before = reads();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(before);
  output.look(true);
  output.change("1", false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBeLessThanOrEqual(before + 2);
});
