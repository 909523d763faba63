// @vitest-environment node
import { expect, it } from "vitest";
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import { session } from "../../../dev/fixtures";
import { bringBack, putAwayAll } from "./keep";

const sessions = [
  session("a", "p", "A", "running", 1),
  session("b", "p", "B", "exited", 1),
  session("c", "p", "C", "queued", 1),
  session("d", "p", "D", "idle", 1),
];

/** Records what is asked, and refuses one of it. */
function recorded(refused: string) {
  const asked: string[] = [];
  const call = ((op: string, { id, force }: { id: string; force?: boolean }) => {
    asked.push([op, id, force].filter((part) => part !== undefined).join(" "));
    return `${op} ${id}` === refused
      ? Promise.reject(new CallError("conflict", "a program runs in its shell"))
      : Promise.resolve({});
  }) as unknown as Call;
  return { asked, call };
}

it("stops what lives, archives everything, and never by force", async () => {
  const { asked, call } = recorded("");
  const { done, kept } = await putAwayAll(call, sessions, { at: () => undefined });
  expect(asked).toEqual([
    "stopSessions a",
    "archiveSession a false",
    "archiveSession b false",
    "killSession c",
    "archiveSession c false",
    "stopSessions d",
    "archiveSession d false",
  ]);
  expect([done.length, kept]).toEqual([4, []]);
});

it("goes on after a refusal and says which session it was", async () => {
  for (const [refused, after] of [
    ["archiveSession a", "archiveSession b false"],
    ["stopSessions a", "archiveSession b false"],
  ] as const) {
    const { asked, call } = recorded(refused);
    const { done, kept } = await putAwayAll(call, sessions, { at: () => undefined });
    expect(kept).toMatchObject([{ session: { id: "a" }, why: "a program runs in its shell" }]);
    expect(done.map(({ id }) => id)).toEqual(["b", "c", "d"]);
    expect(asked).toContain(after);
  }
});

it("brings back what was put away", async () => {
  const { asked, call } = recorded("unarchiveSession a");
  const { done, kept } = await bringBack(call, sessions.slice(0, 2));
  expect(asked).toEqual(["unarchiveSession a", "unarchiveSession b"]);
  expect([done.map(({ id }) => id), kept.map(({ session }) => session.id)]).toEqual([["b"], ["a"]]);
});
