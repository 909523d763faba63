import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Call } from "~/wire/client";
import { Kept } from "./kept";
import { ViewState } from "./view.svelte";

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
});
afterEach(() => void vi.useRealTimers());

/** Returns an engine that keeps preferences, and counts its calls. */
function engine() {
  const values: Record<string, string> = {};
  const asked: string[] = [];
  const call = ((op: string, request?: { values: Record<string, string> }) => {
    asked.push(op);
    Object.assign(values, request?.values);
    return Promise.resolve(op === "getPreferences" ? { values: { ...values } } : {});
  }) as Call;
  return { call, values, asked };
}

it("gives a window at a new address the values kept by the previous one", async () => {
  const { call, values, asked } = engine();
  const first = new Kept(call);
  await first.takeUp();
  const view = new ViewState(first);
  for (const width of [300, 310, 320]) view.resizeSidebar(width);
  view.show({ kind: "session", id: "s3" });
  await vi.runAllTimersAsync();
  expect(values["downbeat.sidebar"]).toBe("320");
  expect(asked).toEqual(["getPreferences", "keepPreferences"]);
  // The next engine serves the page at another address: with empty storage and no history.
  localStorage.clear();
  history.replaceState(null, "");
  const next = new Kept(call);
  const shown = new ViewState(next);
  expect(shown.sidebarWidth).toBe(272);
  await next.takeUp();
  shown.recall();
  expect(shown.sidebarWidth).toBe(320);
  expect(shown.view).toEqual({ kind: "session", id: "s3" });
});

it("asks once per address, and stored values take precedence", async () => {
  const { call, asked } = engine();
  localStorage.setItem("downbeat.sidebar", "250");
  await call("keepPreferences", { values: { "downbeat.sidebar": "400" } });
  const kept = new Kept(call);
  await kept.takeUp();
  await kept.takeUp();
  expect(kept.get("downbeat.sidebar")).toBe("250");
  expect(asked.filter((op) => op === "getPreferences")).toHaveLength(1);
});

it("does not delay the window if the engine is silent or refuses", async () => {
  const silent = new Kept(() => new Promise(() => undefined)).takeUp();
  await vi.advanceTimersByTimeAsync(300);
  await silent;
  await new Kept(() => Promise.reject(new Error("away"))).takeUp();
  expect(localStorage.getItem("downbeat.kept")).toBeNull();
});
