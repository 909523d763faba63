import { expect, it } from "vitest";
import type { Call } from "~/wire/client";
import { put, without } from "./saved";
import { SavedPrompts } from "./store.svelte";
import { words } from "./words";

/** Returns a window of the same engine each time. */
function engine() {
  const values: Record<string, string> = { "downbeat.sidebar": "300" };
  const call = (async (op: string, request?: { values: Record<string, string> }) => {
    await Promise.resolve();
    Object.assign(values, request?.values);
    return op === "getPreferences" ? { values: { ...values } } : {};
  }) as Call;
  return { values, opened: () => new SavedPrompts(call) };
}

it("has in each window what any of them saved", async () => {
  const { opened, values } = engine();
  const [one, other] = [opened(), opened()];
  await other.read();
  expect(other.all).toEqual([]);
  await Promise.all(["a", "b"].map((name) => one.change((all) => put(all, { name, text: name }))));
  await other.change((all) => put(all, { name: "c", text: "c" }));
  expect(other.all?.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  await one.change((all) => without(all, "b"));
  await other.read();
  expect(other.all?.map(({ name }) => name)).toEqual(["a", "c"]);
  expect(values["downbeat.sidebar"]).toBe("300");
});

it("changes nothing if there is no room, and goes on after that", async () => {
  const { opened, values } = engine();
  const saved = opened();
  await saved.change((all) => put(all, { name: "a", text: "a" }));
  const before = { ...values };
  const long = { name: "b", text: "x".repeat(20_000) };
  await expect(saved.change((all) => put(all, long))).rejects.toThrow(words.full);
  expect([values, saved.all?.length]).toEqual([before, 1]);
  await saved.change((all) => put(all, { name: "c", text: "c" }));
  expect(saved.all).toHaveLength(2);
});
