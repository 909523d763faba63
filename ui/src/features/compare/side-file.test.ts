import { expect, it } from "vitest";
import type { Call } from "~/wire/client";
import { CallError } from "~/wire/error";
import type { ChangeHunk, FileChange, GetChange } from "~/wire/types";
import { SideFile } from "./side-file.svelte";

const hunk = (row: string, continues = false): ChangeHunk => ({
  oldStart: 1,
  newStart: 1,
  heading: "",
  continues,
  rows: [row],
});
const changed = (path: string, added: number): FileChange =>
  ({ path, oldPath: null, added, removed: 0, contentId: `c${added}` }) as FileChange;

/** Returns an engine whose session changed these files, in two pages each. */
function engine(files: FileChange[]) {
  const state = { files, asked: [] as string[], fails: false };
  const call = (async (op: string, request: GetChange) => {
    await Promise.resolve();
    state.asked.push(op === "getChange" ? `${request.path} ${request.from}` : op);
    if (state.fails) throw new CallError("conflict", "no worktree");
    if (op === "listChanges") return { files: state.files };
    const isFirst = request.from === 0;
    return { hunks: [hunk(isFirst ? "+a" : "+b", !isFirst)], next: isFirst ? 1 : null };
  }) as unknown as Call;
  return { state, call };
}

it("reads all of a file, and nothing again while it is as it was", async () => {
  const { state, call } = engine([changed("a.ts", 1)]);
  const side = new SideFile(call, "s1");
  await side.read("a.ts");
  expect(side.diff?.all.flatMap(({ rows }) => rows)).toEqual(["+a", "+b"]);
  await side.read("a.ts");
  expect(state.asked).toEqual(["listChanges", "a.ts 0", "a.ts 1", "listChanges"]);
  state.files = [changed("a.ts", 2)];
  await side.read("a.ts");
  expect(side.file?.added).toBe(2);
  expect(state.asked).toHaveLength(7);
});

it("has nothing of a file that the session did not change, or no longer", async () => {
  const { state, call } = engine([changed("a.ts", 1)]);
  const side = new SideFile(call, "s1");
  await side.read("b.ts");
  expect([side.known, side.file, side.diff]).toEqual([true, null, null]);
  await side.read("a.ts");
  state.files = [];
  await side.read("a.ts");
  expect([side.file, side.diff]).toEqual([null, null]);
});

it("takes only the answer about the last file, and tells what is wrong", async () => {
  const { state, call } = engine([changed("a.ts", 1), changed("b.ts", 2)]);
  const side = new SideFile(call, "s1");
  await Promise.all([side.read("a.ts"), side.read("b.ts")]);
  expect(side.file?.path).toBe("b.ts");
  state.fails = true;
  await side.read("a.ts");
  expect(side.problem).toBe("no worktree");
  state.fails = false;
  const late = side.read("a.ts");
  side.stop();
  await late;
  expect(side.file?.path).toBe("b.ts");
});
