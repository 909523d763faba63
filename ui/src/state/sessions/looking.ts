// How the person looks at the sidebar: which sessions, and in which order. Pure.
import { isEnded, isNeedy, isWorking } from "~/state/sessions/status";
import type { SessionId, SessionSummary } from "~/wire/types";

export const SORTS = ["created", "needy", "activity", "name", "own"] as const;
export type Sort = (typeof SORTS)[number];

export const STATES = ["any", "needy", "working", "resting", "ended"] as const;
export type State = (typeof STATES)[number];

export interface Looking {
  words: string;
  state: State;
  sort: Sort;
  /** These stand before the others of their project. */
  pinned: readonly SessionId[];
  /** The person's own order; sessions that are not in it come last. */
  order: readonly SessionId[];
}

export const AS_IT_IS: Looking = {
  words: "",
  state: "any",
  sort: "created",
  pinned: [],
  order: [],
};

/** Whether some sessions are left out. */
export function isFinding({ words, state }: Looking): boolean {
  return words.trim() !== "" || state !== "any";
}

function isIn(session: SessionSummary, state: State): boolean {
  switch (state) {
    case "any":
      return true;
    case "needy":
      return isNeedy(session);
    case "working":
      return isWorking(session);
    case "ended":
      return isEnded(session);
    case "resting":
      return !isNeedy(session) && !isWorking(session) && !isEnded(session);
  }
}

function passes(session: SessionSummary, words: readonly string[], state: State): boolean {
  const { title, name, branch, agent, issue } = session;
  const text = [title, name, branch, agent, issue?.key, issue?.title].join("\n").toLowerCase();
  return isIn(session, state) && words.every((word) => text.includes(word));
}

/** Returns the sessions that have the words and the state, and those above them, in the same order. */
export function found(
  sessions: readonly SessionSummary[],
  looking: Looking,
): readonly SessionSummary[] {
  const words = looking.words.toLowerCase().split(/\s+/).filter(Boolean);
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const wanted = new Set<SessionId>();
  for (const session of sessions) {
    if (!passes(session, words, looking.state)) continue;
    let at: SessionSummary | undefined = session;
    while (at && !wanted.has(at.id)) {
      wanted.add(at.id);
      at = at.parent === null ? undefined : byId.get(at.parent);
    }
  }
  return sessions.filter(({ id }) => wanted.has(id));
}

/** Returns the sessions in the order of the sidebar: pinned ones first. Workers stay below their conductor. */
export function arranged(
  sessions: readonly SessionSummary[],
  { sort, pinned, order: own }: Looking,
): readonly SessionSummary[] {
  if (sort === "created" && pinned.length === 0) return sessions;
  const held = new Set(pinned);
  const needs = new Set(sessions.filter(isNeedy).map(({ id }) => id));
  // A conductor is as urgent as what is below it.
  for (const { parent } of sessions.filter(isNeedy)) if (parent !== null) needs.add(parent);
  const places = new Map(own.map((id, at) => [id, at]));
  const placeOf = ({ id }: SessionSummary) => places.get(id) ?? own.length;
  const order: Record<Sort, (a: SessionSummary, b: SessionSummary) => number> = {
    created: () => 0,
    needy: (a, b) => Number(needs.has(b.id)) - Number(needs.has(a.id)),
    activity: (a, b) => b.lastActivityAt.localeCompare(a.lastActivityAt),
    name: (a, b) => a.title.localeCompare(b.title, undefined, { numeric: true }),
    own: (a, b) => placeOf(a) - placeOf(b),
  };
  return sessions.toSorted(
    (a, b) => Number(held.has(b.id)) - Number(held.has(a.id)) || order[sort](a, b),
  );
}

/** Returns the order in which a session is right before or after another one. */
export function movedTo(
  order: readonly SessionId[],
  id: SessionId,
  beside: SessionId,
  isAfter: boolean,
): SessionId[] {
  const others = order.filter((one) => one !== id);
  const at = others.indexOf(beside);
  return at < 0 || id === beside ? [...order] : others.toSpliced(at + Number(isAfter), 0, id);
}
