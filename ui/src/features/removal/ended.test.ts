// @vitest-environment node
import { expect, it } from "vitest";
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import { session } from "../../../dev/fixtures";
import { removeEnded } from "./ended";

const ids = (sessions: { id: string }[]) => sessions.map(({ id }) => id).join(" ");

it("removes what is safe without force, and keeps the rest with the reason", async () => {
  const calls: unknown[] = [];
  const call = ((op: string, request: { id: string }) => {
    calls.push([op, request]);
    return request.id === "dirty"
      ? Promise.reject(new CallError("unsaved_work", "1 file is not committed"))
      : Promise.resolve({ backup: request.id === "noted" ? { name: "refs/one" } : null });
  }) as unknown as Call;
  const told: number[] = [];
  const { done: removed, kept } = await removeEnded(
    call,
    [
      session("clean", "p", "Clean", "killed", 1),
      session("noted", "p", "Noted", "killed", 1),
      session("dirty", "p", "Dirty", "killed", 1),
      session("place", "p", "In place", "exited", 1, { workspace: "in-place" }),
      session("saved", "p", "Saved", "killed", 1, { workspacePath: null, hasBackup: true }),
    ],
    { at: (done) => told.push(done) },
  );
  expect(ids(removed)).toBe("clean place");
  expect(kept.map(({ session, why }) => `${session.id}: ${why}`)).toEqual([
    "noted: Its saved work can still be restored.",
    "dirty: 1 file is not committed",
    "saved: Its saved work can still be restored.",
  ]);
  expect(calls).toEqual([
    ["removeWorkspace", { id: "clean", force: false, deleteBranch: false, forget: false }],
    ["forgetSession", { id: "clean" }],
    ["removeWorkspace", { id: "noted", force: false, deleteBranch: false, forget: false }],
    ["removeWorkspace", { id: "dirty", force: false, deleteBranch: false, forget: false }],
    ["forgetSession", { id: "place" }],
  ]);
  expect(told).toEqual([0, 1, 2, 3, 4, 5]);
});
