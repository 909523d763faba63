import { beforeEach, expect, it } from "vitest";
import { Kept } from "~/state/kept";
import { session } from "../../../dev/fixtures";
import { find, lately, remember, type Entry } from "./entries";

function open(id: string, title: string, status: "idle" | "waiting" = "idle"): Entry {
  const one = session(id, "p", title, status, 1);
  const run = () => undefined;
  return { kind: "session", id, section: "Open", title, session: one, project: "p", run };
}
function command(id: "stop" | "stopAll" | "settings", title: string): Entry {
  const run = () => undefined;
  return { kind: "command", id, section: "Session", title, command: id, run };
}

const entries = [
  open("a", "Stop the leak"),
  open("b", "Cart", "waiting"),
  command("stop", "Stop session"),
  command("stopAll", "Stop all sessions"),
];
const shape = (query: string, recent: string[] = [], inView: string | null = null) =>
  find(entries, query, recent, inView).map(
    ({ name, entries: list }) => `${name}: ${list.map(({ id }) => id).join(" ")}`,
  );

beforeEach(() => localStorage.clear());

it("begins with recent choices, then with sessions that need the person", () => {
  expect(shape("")).toEqual(["Open: b a", "Session: stop stopAll"]);
  expect(shape("", ["stopAll", "gone"])).toEqual(["Recent: stopAll", "Open: b a", "Session: stop"]);
  expect(shape("", ["b"], "b")).toEqual(["Open: a", "Session: stop stopAll"]);
});

it("shows the section of the best match first; recent choices win ties", () => {
  expect(shape("session")).toEqual(["Session: stop stopAll"]);
  expect(shape("cart")).toEqual(["Open: b"]);
  expect(shape("stop se")).toEqual(["Session: stop stopAll"]);
  expect(shape("stop", ["stopAll"])).toEqual(["Session: stopAll stop", "Open: a"]);
  expect(shape("xyz")).toEqual([]);
});

it("remembers a dozen choices, newest first, and ignores malformed stored data", () => {
  const kept = new Kept(() => Promise.reject(new Error("away")));
  for (let n = 0; n < 20; n += 1) remember(kept, `c${n}`);
  remember(kept, "c15");
  expect(lately(kept)).toHaveLength(12);
  expect(lately(kept).slice(0, 3)).toEqual(["c15", "c19", "c18"]);
  localStorage.setItem("downbeat.palette", "{oops");
  expect(lately(kept)).toEqual([]);
});
