// @vitest-environment node
import { expect, it } from "vitest";
import { session } from "../../../dev/fixtures";
import { endedIn } from "./ended";

const all = [
  session("c", "p", "Conductor", "idle", 1, { role: "conductor" }),
  session("w", "p", "Worker", "exited", 1, { parent: "c" }),
  session("v", "p", "Below it", "killed", 1, { parent: "w", depth: 2 }),
  session("r", "p", "Runs", "running", 1, { parent: "c" }),
  session("a", "p", "Alone", "errored", 1),
  session("o", "q", "Elsewhere", "killed", 1),
];
const ids = (sessions: { id: string }[]) => sessions.map(({ id }) => id).join(" ");

it("finds the ended sessions, workers first", () => {
  expect(ids(endedIn(all, { projectId: "p" }))).toBe("v w a");
  expect(ids(endedIn(all, { sessionId: "c" }))).toBe("v w");
  expect(endedIn(all, { sessionId: "a" })).toEqual([]);
});
