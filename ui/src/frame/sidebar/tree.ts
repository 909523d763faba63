// The sidebar as flat rows: projects, their sessions, workers below their conductor. Pure.
import { isNeedy } from "~/state/sessions/status";
import { twinsOf } from "~/state/sessions/twins";
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
}

/** The hint in a project without sessions. */
export interface HintRow {
  kind: "hint";
  id: string;
  projectId: ProjectId;
  level: 2;
}

export type TreeRow = ProjectRow | SessionRow | HintRow;
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

export function buildTree(
  projects: readonly Project[],
  sessions: readonly SessionSummary[],
  collapsed: Collapsed,
): TreeRow[] {
  const children = childrenOf(sessions);
  const twins = twinsOf(sessions);
  const rows: TreeRow[] = [];

  const anyNeedy = (key: string): boolean =>
    (children.get(key) ?? []).some((session) => isNeedy(session) || anyNeedy(session.id));

  const add = (session: SessionSummary, level: number) => {
    const below = children.get(session.id) ?? [];
    const expanded = below.length > 0 ? collapsed[session.id] !== true : null;
    rows.push({
      kind: "session",
      id: session.id,
      session,
      level,
      expanded,
      workers: below.length,
      hidesNeed: expanded === false && anyNeedy(session.id),
      twin: twins.has(session.id),
    });
    if (expanded === true) for (const child of below) add(child, level + 1);
  };

  for (const project of projects) {
    const own = children.get(project.id) ?? [];
    const expanded = collapsed[project.id] !== true;
    const hidesNeed = !expanded && anyNeedy(project.id);
    rows.push({ kind: "project", id: project.id, project, level: 1, expanded, hidesNeed });
    if (!expanded) continue;
    for (const session of own) add(session, 2);
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

/** Returns the row that contains this one: where ← moves from a leaf. */
export function parentRow(rows: readonly TreeRow[], index: number): TreeRow | undefined {
  const level = rows[index]?.level ?? 1;
  return rows.slice(0, index).findLast((row) => row.level < level);
}
