// The sidebar as flat rows: projects, their sessions, workers below their conductor. Pure.
import { isEnded, isNeedy } from "~/state/sessions/status";
import { twinsOf } from "~/state/sessions/twins";
import { arranged, AS_IT_IS, found, isFinding, type Looking } from "~/state/sessions/looking";
import type { Project, ProjectId, SessionSummary, SessionId } from "~/wire/types";

export interface ProjectRow {
  kind: "project";
  id: ProjectId;
  project: Project;
  level: 1;
  expanded: boolean;
  /** Whether a hidden row below it needs the person. */
  hidesNeed: boolean;
}

export interface SessionRow {
  kind: "session";
  id: SessionId;
  session: SessionSummary;
  /** 2 for a session of a project, 3 for its worker, and so on. */
  level: number;
  /** Null if it has no workers in the list. */
  expanded: boolean | null;
  workers: number;
  hidesNeed: boolean;
  /**
   * Whether another session has the same title, so that the readable name must distinguish them.
   */
  twin: boolean;
  /** Whether it stands before the others of its project. */
  pinned: boolean;
}

/** The hint in a project without sessions. */
export interface HintRow {
  kind: "hint";
  id: string;
  projectId: ProjectId;
  level: 2;
}

/** The ended sessions of a project, which are folded once there are several. */
export interface EndedRow {
  kind: "ended";
  id: string;
  projectId: ProjectId;
  level: 2;
  count: number;
  expanded: boolean;
}

export type TreeRow = ProjectRow | SessionRow | HintRow | EndedRow;
export type Collapsed = Readonly<Record<string, boolean>>;

function childrenOf(sessions: readonly SessionSummary[]): Map<string, SessionSummary[]> {
  const present = new Set(sessions.map(({ id }) => id));
  const children = new Map<string, SessionSummary[]>();
  for (const session of sessions) {
    // A session whose conductor was taken off the list is at the top level.
    const parent = session.parent !== null && present.has(session.parent) ? session.parent : null;
    const key = parent ?? session.projectId;
    const list = children.get(key);
    if (list) list.push(session);
    else children.set(key, [session]);
  }
  return children;
}

/** From this many on, the ended sessions of a project are folded. */
const FOLDED_FROM = 4;

/** The key of a project's ended sessions in `Collapsed`: they are unfolded only by `false`. */
export const endedKey = (project: ProjectId) => `${project}/ended`;

export function buildTree(
  projects: readonly Project[],
  all: readonly SessionSummary[],
  collapsed: Collapsed,
  looking: Looking = AS_IT_IS,
): TreeRow[] {
  const finding = isFinding(looking);
  const sessions = arranged(finding ? found(all, looking) : all, looking);
  const children = childrenOf(sessions);
  const twins = twinsOf(sessions);
  const rows: TreeRow[] = [];

  const anyNeedy = (key: string): boolean =>
    (children.get(key) ?? []).some((session) => isNeedy(session) || anyNeedy(session.id));

  const add = (session: SessionSummary, level: number) => {
    const below = children.get(session.id) ?? [];
    const expanded = below.length > 0 ? finding || collapsed[session.id] !== true : null;
    rows.push({
      kind: "session",
      id: session.id,
      session,
      level,
      expanded,
      workers: below.length,
      hidesNeed: expanded === false && anyNeedy(session.id),
      twin: twins.has(session.id),
      pinned: looking.pinned.includes(session.id),
    });
    if (expanded === true) for (const child of below) add(child, level + 1);
  };

  for (const project of projects) {
    const own = children.get(project.id) ?? [];
    if (finding && own.length === 0) continue;
    const expanded = finding || collapsed[project.id] !== true;
    const hidesNeed = !expanded && anyNeedy(project.id);
    rows.push({ kind: "project", id: project.id, project, level: 1, expanded, hidesNeed });
    if (!expanded) continue;
    const isOver = (session: SessionSummary): boolean =>
      isEnded(session) && !isNeedy(session) && (children.get(session.id) ?? []).every(isOver);
    const over = own.filter((session) => isOver(session) && !looking.pinned.includes(session.id));
    const folds = !finding && over.length >= FOLDED_FROM;
    for (const session of own) if (!folds || !over.includes(session)) add(session, 2);
    if (folds) {
      const [id, count] = [endedKey(project.id), over.length];
      const unfolded = collapsed[id] === false;
      rows.push({ kind: "ended", id, projectId: project.id, level: 2, count, expanded: unfolded });
      if (unfolded) for (const session of over) add(session, 2);
    }
    if (own.length === 0) {
      rows.push({ kind: "hint", id: `${project.id}/hint`, projectId: project.id, level: 2 });
    }
  }
  return rows;
}

/** Returns the rows, with those of `before` that are the same in place of their likes: only other rows are drawn anew. */
export function reused(before: readonly TreeRow[], rows: readonly TreeRow[]): TreeRow[] {
  const known = new Map(before.map((row) => [row.id, row]));
  return rows.map((row) => {
    const old = known.get(row.id);
    return old !== undefined && isSame(old, row) ? old : row;
  });
}

function isSame(a: TreeRow, b: TreeRow): boolean {
  const fields = Object.entries(a) as [keyof TreeRow, unknown][];
  return a.kind === b.kind && fields.every(([field, value]) => b[field] === value);
}

/** Returns the session ids in display order, for the keys that step through them. */
export function sessionIds(rows: readonly TreeRow[]): SessionId[] {
  return rows.flatMap((row) => (row.kind === "session" ? [row.id] : []));
}

/** Returns the sessions from one row to another, in display order. */
export function between(rows: readonly TreeRow[], from: SessionId, to: SessionId): SessionId[] {
  const ids = sessionIds(rows);
  const [a, b] = [ids.indexOf(from), ids.indexOf(to)];
  return a < 0 || b < 0 ? [] : ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** Returns the row that contains this one: where ← moves from a leaf. */
export function parentRow(rows: readonly TreeRow[], index: number): TreeRow | undefined {
  const level = rows[index]?.level ?? 1;
  return rows.slice(0, index).findLast((row) => row.level < level);
}

/** Returns the rows among which a session can be moved: those below the same conductor or project, pinned as it is. */
export function siblings(rows: readonly TreeRow[], id: SessionId): SessionRow[] {
  const all = rows.filter((row) => row.kind === "session");
  const own = all.find((row) => row.id === id);
  if (!own) return [];
  const { level, pinned, session } = own;
  const isBeside = (row: SessionRow) =>
    row.level === level &&
    row.pinned === pinned &&
    row.session.projectId === session.projectId &&
    (level === 2 || row.session.parent === session.parent);
  return all.filter(isBeside);
}
