import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Call } from "~/wire/client";
import { LastOutput } from "./last-output.svelte";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function setUp() {
  let reads = 0;
  const call = (() => {
    reads += 1;
    return Promise.resolve({
      id: "s",
      text: `read ${reads}`,
      title: "",
      isCheckpoint: false,
      changes: null,
    });
  }) as unknown as Call;
  const output = new LastOutput(call, "s");
  return { output, reading: output.reading, reads: () => reads };
}

test("reads when looked at, and again only after a change", async () => {
  const { output, reading, reads } = setUp();
  reading.change("1");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(reads()).toBe(0);
  reading.look(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(1);
  expect(output.lines).toEqual(["read 1"]);
  reading.change("2");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(2);
});

test("many changes in a short time cause one read, and the last is not missed", async () => {
  const { reading, reads } = setUp();
  reading.look(true);
  for (let n = 0; n < 50; n += 1) reading.change(String(n));
  await vi.advanceTimersByTimeAsync(10);
  reading.change("last");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(2);
});

test("nothing is read while out of view", async () => {
  const { reading, reads } = setUp();
  reading.look(true);
  reading.change("1");
  await vi.advanceTimersByTimeAsync(5000);
  reading.look(false);
  reading.change("2");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(1);
});

test("a working session is read every few seconds while in view", async () => {
  const { reading, reads } = setUp();
  reading.look(true);
  reading.change("1", true);
  await vi.advanceTimersByTimeAsync(10_100);
  expect(reads()).toBeGreaterThanOrEqual(5);
  expect(reads()).toBeLessThanOrEqual(6);
  reading.look(false);
  await vi.advanceTimersByTimeAsync(3_000);
  const before = reads();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(before);
  reading.look(true);
  reading.change("1", false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBeLessThanOrEqual(before + 2);
});
