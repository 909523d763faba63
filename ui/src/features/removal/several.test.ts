// @vitest-environment node
import { expect, it } from "vitest";
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import { session } from "../../../dev/fixtures";
import { doAll, suited } from "./several";

const sessions = [
  session("a", "p", "A", "running", 1),
  session("b", "p", "B", "exited", 1),
  session("c", "p", "C", "killed", 1),
  session("d", "p", "D", "idle", 1),
];
const ids = (some: readonly { id: string }[]) => some.map(({ id }) => id).join(" ");

it("stops what lives, and archives or removes what has ended", () => {
  expect(ids(suited("stop", sessions))).toBe("a d");
  expect(ids(suited("archive", sessions))).toBe("b c");
  expect(ids(suited("remove", sessions))).toBe("b c");
});

it("goes on after a refusal, and tells how far it is", async () => {
  const asked: string[] = [];
  const call = ((op: string, { id }: { id: string }) => {
    asked.push(`${op} ${id}`);
    return id === "b"
      ? Promise.reject(new CallError("conflict", "a program runs in its shell"))
      : Promise.resolve({});
  }) as unknown as Call;
  const told: number[] = [];
  const outcome = await doAll(call, "archive", suited("archive", sessions), {
    at: (done) => told.push(done),
  });
  expect(asked).toEqual(["archiveSession b", "archiveSession c"]);
  expect(ids(outcome.done)).toBe("c");
  expect(outcome.kept).toMatchObject([
    { session: { id: "b" }, why: "a program runs in its shell" },
  ]);
  expect(told).toEqual([0, 1, 2]);
  await doAll(call, "stop", suited("stop", sessions), { at: () => undefined });
  expect(asked.slice(2)).toEqual(["stopSessions a", "stopSessions d"]);
});

it("stops several at once, and begins no other one when asked", async () => {
  const started: string[] = [];
  const waiting: (() => void)[] = [];
  const call = ((_: string, { id }: { id: string }) => {
    started.push(id);
    return new Promise((done) => waiting.push(() => done({})));
  }) as unknown as Call;
  const many = Array.from({ length: 9 }, (_, at) => session(`m${at}`, "p", "M", "running", 1));
  const stop = new AbortController();
  const outcome = doAll(call, "stop", many, { at: () => undefined, signal: stop.signal });
  expect(started).toHaveLength(6);
  stop.abort();
  waiting.forEach((done) => done());
  expect((await outcome).done).toHaveLength(6);
  expect(started).toHaveLength(6);
});

it("finishes the session in progress, and stops before the next one", async () => {
  const asked: string[] = [];
  const stop = new AbortController();
  const call = ((_: string, { id }: { id: string }) => {
    asked.push(id);
    if (id === "b") stop.abort();
    return Promise.resolve({});
  }) as unknown as Call;
  const told: number[] = [];
  const watch = { at: (done: number) => told.push(done), signal: stop.signal };
  const { done, kept } = await doAll(call, "archive", [...sessions], watch);
  expect(asked).toEqual(["a", "b"]);
  expect(ids(done)).toBe("a b");
  expect(kept).toEqual([]);
  expect(told).toEqual([0, 1, 2]);
});
