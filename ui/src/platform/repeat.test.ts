import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CallError } from "~/wire/error";
import { httpHost } from "./http";
import { repeat } from "./repeat";

// The listener is always the engine.
vi.mock("./proof", () => ({ prove: () => Promise.resolve("proven") }));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const away = () => new CallError("unavailable", "The engine is handing over.");

it("retries while the engine is replaced, and eventually gives up", async () => {
  let left = 3;
  const answered = repeat(() => (left-- > 0 ? Promise.reject(away()) : Promise.resolve("done")));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await answered).toBe("done");
  const given = expect(repeat(() => Promise.reject(away()))).rejects.toThrow("handing over");
  await vi.advanceTimersByTimeAsync(20_000);
  await given;
});

it("does not retry refused requests", async () => {
  const attempt = vi.fn(() => Promise.reject(new CallError("conflict", "It runs.")));
  await expect(repeat(attempt)).rejects.toThrow("It runs.");
  expect(attempt).toHaveBeenCalledTimes(1);
});

it("sends one key with every attempt of a press, and another with the next press", async () => {
  vi.stubGlobal("location", { origin: "http://127.0.0.1:4000" });
  const keys: (string | null)[] = [];
  let lost = 1;
  vi.stubGlobal("fetch", (_: string, { headers }: { headers: Headers }) => {
    keys.push(headers.get("Idempotency-Key"));
    return lost-- > 0
      ? Promise.reject(new TypeError("connection closed"))
      : Promise.resolve(new Response("{}"));
  });
  const { call } = httpHost("token");
  const press = () => call("sendMessage", { id: "s", content: "hello" });
  const first = press();
  await vi.advanceTimersByTimeAsync(1_000);
  await first;
  await press();
  await call("listSessions", {});
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
  expect(keys[3]).toBeNull();
});
