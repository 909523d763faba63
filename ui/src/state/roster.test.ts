import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { session, summaryOf } from "../../dev/fixtures";
import type { Platform, StreamHandlers } from "~/platform/types";
import type { Session, SessionSummary, StreamItem } from "~/wire/types";
import { Fleet } from "./fleet.svelte";
import { Roster } from "./roster.svelte";

const whole = (id: string, status: Session["status"] = "idle") => session(id, "p", id, status, 1);
const one = (id: string, status?: Session["status"]) => summaryOf(whole(id, status));
const shown = (roster: Roster) => roster.all.map(({ id, status }) => `${id} ${status}`);

it("lets no list undo what was found after it was asked for", () => {
  const roster = new Roster();
  roster.list(roster.asks(), [one("a"), one("b"), one("c")]);
  const list = roster.asks();
  roster.some(roster.asks(), ["a", "b", "d"], [one("a", "running"), one("d")]);
  roster.list(list, [one("a"), one("b"), one("c", "waiting")]);
  expect(shown(roster)).toEqual(["a running", "c waiting", "d idle"]);
  roster.list(roster.asks(), [one("c"), one("d")]);
  expect(shown(roster)).toEqual(["c idle", "d idle"]);
});

it("lets no answer about a session undo a later one", () => {
  const roster = new Roster();
  const [early, late] = [roster.asks(), roster.asks()];
  roster.some(late, ["a"], [one("a", "running")]);
  roster.some(early, ["a"], [one("a")]);
  expect(shown(roster)).toEqual(["a running"]);
  roster.adopt(one("b"));
  roster.list(early, []);
  expect(shown(roster)).toEqual(["a running", "b idle"]);
});

it("shows a session that comes back to the list in its place", () => {
  const roster = new Roster();
  const at = (id: string, minute: number) => ({
    ...one(id),
    createdAt: `2026-03-01T10:0${minute}:00Z`,
  });
  roster.list(roster.asks(), [at("a", 1), at("c", 3)]);
  roster.some(roster.asks(), ["d", "b"], [at("b", 2), at("d", 4)]);
  expect(roster.order).toEqual(["a", "b", "c", "d"]);
});

it("keeps all of a session while somebody looks at it, behind its summary", () => {
  const roster = new Roster();
  roster.list(roster.asks(), [one("a"), { ...one("b"), parent: "a" }]);
  roster.read(roster.asks(), { ...whole("a"), task: "unasked" });
  const [leave, too] = [roster.look("a"), roster.look("a")];
  expect(roster.whole("a")).toMatchObject({ id: "a", task: "", steps: [] });
  const [early, late] = [roster.asks(), roster.asks()];
  roster.read(late, { ...whole("a"), task: "new" });
  roster.read(early, { ...whole("a"), task: "old" });
  roster.some(roster.asks(), ["a"], [one("a", "running")]);
  expect(roster.whole("a")).toMatchObject({ task: "new", status: "running" });
  expect([...roster.lookedAt("b")]).toEqual(["a"]);
  leave();
  expect([...roster.lookedAt("b")]).toEqual(["a"]);
  too();
  expect([...roster.lookedAt("b")]).toEqual([]);
});

/** A fleet whose engine has these sessions, and what it was asked of them. */
async function followed(world: Map<string, SessionSummary>) {
  const asked: unknown[] = [];
  const call = (op: string, request: { ids?: string[]; id?: string } = {}) => {
    if (op === "getSession") asked.push(request);
    if (op !== "listSessions")
      return Promise.resolve(
        op === "getEngine" ? { seq: 1 } : op === "getSession" ? whole("b") : [],
      );
    asked.push(request);
    return Promise.resolve(
      [...world.values()].filter(({ id }) => request.ids?.includes(id) ?? true),
    );
  };
  let handlers: StreamHandlers | null = null;
  const subscribe = (_: number, told: StreamHandlers) => ((handlers = told), () => undefined);
  const fleet = new Fleet({ call, subscribe } as unknown as Platform);
  await fleet.start();
  asked.length = 0;
  const { item, connection } = handlers as unknown as StreamHandlers;
  const change = (sessionId: string) =>
    item({
      type: "change",
      kind: "session-status",
      subject: `session:${sessionId}`,
      sessionId,
      invalidates: ["session", "engine"],
    } as StreamItem);
  return { fleet, asked, item, connection, change };
}

const rests = () => new Map(["a", "b", "c"].map((id) => [id, one(id)]));

describe("following changes", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pass = () => vi.advanceTimersByTimeAsync(200);

  it("reads the sessions that changes name, and nothing else", async () => {
    const world = rests();
    const { fleet, asked, change } = await followed(world);
    world.set("b", one("b", "running"));
    world.delete("c");
    for (const id of ["b", "b", "c"]) change(id);
    await pass();
    expect(asked).toEqual([{ ids: ["b", "c"] }]);
    const shown = fleet.sessions.map(({ id, status }) => `${id} ${status}`);
    expect(shown).toEqual(["a idle", "b running"]);
    fleet.stop();
  });

  it("reads the list once after a gap", async () => {
    const { fleet, asked, item, connection, change } = await followed(rests());
    connection("lost");
    connection("open");
    item({ type: "resync", seq: 9 });
    await pass();
    expect(asked).toEqual([{}]);
    const many = Array.from({ length: 65 }, (_, n) => `s${n}`);
    many.forEach(change);
    await pass();
    expect(asked.slice(1)).toEqual([{}]);
    fleet.stop();
  });

  it("reads all of a session only while somebody looks at it", async () => {
    const { fleet, asked, change } = await followed(rests());
    change("b");
    await pass();
    const leave = fleet.look("b");
    await pass();
    change("b");
    change("a");
    await pass();
    leave();
    change("b");
    await pass();
    const b = { ids: ["b"] };
    expect(asked).toEqual([b, { id: "b" }, { ids: ["b", "a"] }, { id: "b" }, b]);
    fleet.stop();
  });
});
