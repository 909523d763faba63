// Sorts sessions into the columns of the board. Pure. In which column a session is, the engine decides.
import type { Column, PlanId, ProjectId, SessionId, SessionSummary } from "~/wire/types";

export const COLUMNS: readonly Column[] = [
  "working",
  "needsYou",
  "inReview",
  "readyToMerge",
  "done",
];

export const GROUPINGS = ["none", "project", "conductor", "plan"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Which sessions are shown; null and empty let all pass. */
export interface Filter {
  project: ProjectId | null;
  agent: string | null;
  /** A conductor, with everything below it. */
  conductor: SessionId | null;
  words: string;
}

export const ALL: Filter = { project: null, agent: null, conductor: null, words: "" };

export interface Group {
  /** The project, the conductor or the plan; empty for the sessions of none, and if nothing is grouped. */
  key: string;
  ids: SessionId[];
}

export interface BoardColumn {
  column: Column;
  count: number;
  groups: Group[];
}

type Sessions = ReadonlyMap<SessionId, SessionSummary>;

/** Returns the sessions above one, the nearest first. A loop in the data ends the walk. */
function above(session: SessionSummary, all: Sessions): SessionSummary[] {
  const found: SessionSummary[] = [];
  let next = all.get(session.parent ?? "");
  while (next && !found.includes(next)) {
    found.push(next);
    next = all.get(next.parent ?? "");
  }
  return found;
}

/** Returns the conductor at the top of a session's tree, itself included; null if there is none. */
export function conductorOf(session: SessionSummary, all: Sessions): SessionId | null {
  const top = above(session, all).at(-1) ?? session;
  return top.workers > 0 || top.role === "conductor" ? top.id : null;
}

/** What the words of a filter are looked for in. */
function searched(session: SessionSummary): string {
  const { title, name, branch, taskStart, agent, issue, pulls } = session;
  const numbers = pulls.map(({ number }) => `#${number}`);
  const about = issue ? [issue.title, issue.key ?? "", `#${issue.number}`] : [];
  return [title, name, branch, taskStart, agent, ...about, ...numbers].join("\n").toLowerCase();
}

/** Whether any filter is set. */
export function isFiltered({ project, agent, conductor, words }: Filter): boolean {
  return project !== null || agent !== null || conductor !== null || words.trim() !== "";
}

export function passes(session: SessionSummary, filter: Filter, all: Sessions): boolean {
  const { project, agent, conductor } = filter;
  if (project !== null && session.projectId !== project) return false;
  if (agent !== null && session.agent !== agent) return false;
  if (conductor !== null && session.id !== conductor) {
    if (!above(session, all).some(({ id }) => id === conductor)) return false;
  }
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = searched(session);
  return words.every((word) => text.includes(word));
}

/** The place of a session in its column: the highest is first. A change within the column moves nothing. */
function placeOf(session: SessionSummary): number {
  switch (session.column) {
    case "working":
      return Date.parse(session.createdAt);
    case "needsYou":
      return -Date.parse(session.attention?.since ?? session.statusSince);
    default:
      return Date.parse(session.statusSince);
  }
}

/** Sorts the sessions of a column. */
function sorted(sessions: readonly SessionSummary[]): SessionSummary[] {
  const placed = sessions.map((session) => ({ session, place: placeOf(session) }));
  placed.sort((a, b) => b.place - a.place || (a.session.id < b.session.id ? -1 : 1));
  return placed.map(({ session }) => session);
}

/** Returns the plan that a session works for; null if it works for none. */
export type PlanOf = (id: SessionId) => PlanId | null;

function keyOf(session: SessionSummary, by: Grouping, all: Sessions, planOf: PlanOf): string {
  switch (by) {
    case "none":
      return "";
    case "project":
      return session.projectId;
    case "conductor":
      return conductorOf(session, all) ?? "";
    case "plan":
      return planOf(session.id) ?? "";
  }
}

/** Returns the keys of the groups in their order. */
function keysOf(
  sessions: readonly SessionSummary[],
  by: Grouping,
  projects: readonly ProjectId[],
  planOf: PlanOf,
): readonly string[] {
  if (by === "project") return projects;
  return by === "plan"
    ? sessions.flatMap(({ id }) => planOf(id) ?? [])
    : sessions.map(({ id }) => id);
}

/** Groups sorted sessions; `keys` is the order of the groups, and those without one come last. */
function grouped(
  sessions: readonly SessionSummary[],
  keyFor: (session: SessionSummary) => string,
  keys: readonly string[],
): Group[] {
  const groups = new Map<string, SessionId[]>();
  for (const session of sessions) {
    const key = keyFor(session);
    const ids = groups.get(key);
    if (ids) ids.push(session.id);
    else groups.set(key, [session.id]);
  }
  const place = (key: string) => (key === "" ? Infinity : keys.indexOf(key));
  return [...groups]
    .map(([key, ids]) => ({ key, ids }))
    .sort((a, b) => place(a.key) - place(b.key));
}

/**
 * Returns the columns with the sessions that pass: those that need the person longest first, the newest first elsewhere.
 * Groups are in the same order in each column.
 */
export function columnsOf(
  sessions: readonly SessionSummary[],
  filter: Filter,
  by: Grouping,
  projects: readonly ProjectId[],
  planOf: PlanOf = () => null,
): BoardColumn[] {
  const all: Sessions = new Map(sessions.map((session) => [session.id, session]));
  const keys = keysOf(sessions, by, projects, planOf);
  const keyFor = (session: SessionSummary) => keyOf(session, by, all, planOf);
  const shown = sessions.filter((session) => passes(session, filter, all));
  return COLUMNS.map((column) => {
    const inside = sorted(shown.filter((session) => session.column === column));
    return { column, count: inside.length, groups: grouped(inside, keyFor, keys) };
  });
}

/** Returns the first `most` sessions of a column, in its groups. */
export function folded(groups: readonly Group[], most: number): Group[] {
  const newest = new Set(groups.flatMap(({ ids }) => ids).slice(0, most));
  return groups
    .map(({ key, ids }) => ({ key, ids: ids.filter((id) => newest.has(id)) }))
    .filter(({ ids }) => ids.length > 0);
}
