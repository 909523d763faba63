// Which sessions stand in which column, in which order and group.
import { describe, expect, test } from "vitest";
import type { Column, SessionSummary } from "~/wire/types";
import { ALL, columnsOf, conductorOf, folded, passes, type Filter } from "./columns";

const time = (minute: number) => new Date(minute * 60_000).toISOString();

function made(id: string, column: Column, minute = 0, more: Partial<SessionSummary> = {}) {
  return {
    id,
    column,
    projectId: "p1",
    agent: "claude",
    title: id,
    name: id,
    branch: `feature/${id}`,
    taskStart: null,
    role: "session",
    parent: null,
    workers: 0,
    issue: null,
    pulls: [],
    createdAt: time(minute),
    statusSince: time(minute),
    attention: column === "needsYou" ? { kind: "question", why: "?", since: time(minute) } : null,
    ...more,
  } as SessionSummary;
}

const family = [
  made("lead", "working", 1, { role: "conductor", workers: 2 }),
  made("mid", "inReview", 2, { parent: "lead", workers: 1 }),
  made("low", "inReview", 4, { parent: "mid", agent: "codex" }),
  made("alone", "inReview", 3, { projectId: "p2", title: "Fix the login" }),
];
const byId = new Map(family.map((one) => [one.id, one]));

/** Returns the ids of each column that has any. */
function ids(sessions: readonly SessionSummary[], filter: Partial<Filter> = {}) {
  const columns = columnsOf(sessions, { ...ALL, ...filter }, "none", []);
  return Object.fromEntries(
    columns
      .filter(({ count }) => count > 0)
      .map(({ column, groups }) => [column, groups.flatMap((group) => group.ids)]),
  );
}

test("who waits for the person longest is first, and the newest is first elsewhere", () => {
  const sessions = [
    made("a", "needsYou", 5),
    made("b", "needsYou", 2),
    made("c", "inReview", 1),
    made("d", "inReview", 9),
    made("e", "done", 3),
    made("f", "working", 7, { statusSince: time(99) }),
    made("g", "working", 8),
  ];
  expect(ids(sessions)).toEqual({
    working: ["g", "f"],
    needsYou: ["b", "a"],
    inReview: ["d", "c"],
    done: ["e"],
  });
});

test("every column is there, also without sessions", () => {
  const columns = columnsOf([], ALL, "none", []).map(({ column, count }) => [column, count]);
  expect(columns).toEqual([
    ["working", 0],
    ["needsYou", 0],
    ["inReview", 0],
    ["readyToMerge", 0],
    ["done", 0],
  ]);
});

describe("a filter", () => {
  test.each<[string, Partial<Filter>, string[]]>([
    ["nothing", {}, ["lead", "mid", "low", "alone"]],
    ["a project", { project: "p2" }, ["alone"]],
    ["an agent", { agent: "codex" }, ["low"]],
    ["a conductor, with all below it", { conductor: "lead" }, ["lead", "mid", "low"]],
    ["words in any order and case", { words: " LOGIN fix " }, ["alone"]],
    ["words of the branch", { words: "feature/mid" }, ["mid"]],
    ["words that are not all there", { words: "login mid" }, []],
    ["several at once", { agent: "claude", conductor: "mid" }, ["mid"]],
  ])("by %s", (_, filter, expected) => {
    const found = family.filter((one) => passes(one, { ...ALL, ...filter }, byId));
    expect(found.map(({ id }) => id)).toEqual(expected);
  });

  test("finds issues and pull requests by their numbers", () => {
    const issue = { number: 17, title: "Passkeys", key: "ENG-17" };
    const one = made("x", "inReview", 0, {
      issue: issue as SessionSummary["issue"],
      pulls: [{ number: 41 }] as SessionSummary["pulls"],
    });
    for (const words of ["#17", "eng-17", "#41", "passkeys"])
      expect(passes(one, { ...ALL, words }, new Map()), words).toBe(true);
  });
});

describe("groups", () => {
  test("by conductor are those of the top one, with the others last", () => {
    const columns = columnsOf(family, ALL, "conductor", []);
    expect(columns[2]?.groups).toEqual([
      { key: "lead", ids: ["low", "mid"] },
      { key: "", ids: ["alone"] },
    ]);
  });

  test("by project are in the order of the projects", () => {
    const columns = columnsOf(family, ALL, "project", ["p2", "p1"]);
    expect(columns[2]?.groups.map(({ key }) => key)).toEqual(["p2", "p1"]);
  });

  test("a loop in the data ends", () => {
    const loop = new Map([
      ["a", made("a", "done", 0, { parent: "b" })],
      ["b", made("b", "done", 0, { parent: "a" })],
    ]);
    const first = loop.get("a");
    expect(first && conductorOf(first, loop)).toBeNull();
  });

  test("are folded to the first sessions of the column", () => {
    const groups = [
      { key: "a", ids: ["1", "2"] },
      { key: "b", ids: ["3", "4"] },
      { key: "c", ids: ["5"] },
    ];
    expect(folded(groups, 3)).toEqual([
      { key: "a", ids: ["1", "2"] },
      { key: "b", ids: ["3"] },
    ]);
  });
});
