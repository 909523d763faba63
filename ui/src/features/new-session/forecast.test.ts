import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SpawnPreview } from "~/wire/types";
import { Forecast } from "./forecast.svelte";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function preview(hash: string): SpawnPreview {
  const setup = { commands: [`run ${hash}`], because: null, hash, approved: false };
  return {
    name: "x",
    agent: "claude",
    permissionMode: "ask",
    path: "/w/x",
    branch: null,
    base: null,
    copied: [],
    copiedCount: 0,
    setup,
    port: null,
    warnings: [],
  };
}

test("an approval applies to the commands that were shown, not to their replacements", async () => {
  let hash = "first";
  const forecast = new Forecast(() => Promise.resolve(preview(hash)));
  forecast.follow({ projectId: "p" });
  await vi.runAllTimersAsync();
  forecast.approved = true;
  expect(forecast.approved).toBe(true);
  hash = "second";
  forecast.follow({ projectId: "p", title: "a" });
  await vi.runAllTimersAsync();
  expect(forecast.preview?.setup.hash).toBe("second");
  expect(forecast.approved).toBe(false);
});

test("another project does not show the previous preview, and a late answer is dropped", async () => {
  const answers: ((hash: string) => void)[] = [];
  const forecast = new Forecast(
    () => new Promise((done) => answers.push((hash) => done(preview(hash)))),
  );
  forecast.follow({ projectId: "a" });
  await vi.runAllTimersAsync();
  forecast.follow({ projectId: "b" });
  await vi.runAllTimersAsync();
  expect(forecast.preview).toBeNull();
  answers[1]?.("b");
  await vi.runAllTimersAsync();
  answers[0]?.("a");
  await vi.runAllTimersAsync();
  expect(forecast.preview?.setup.hash).toBe("b");
});
