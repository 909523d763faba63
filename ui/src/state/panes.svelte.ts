// The panes of each project: what is where, kept for the window's next start. `ViewState` shows them.
import type { ProjectId, SessionId } from "~/wire/types";
import type { Kept } from "./kept";
import { filled, focused, focusedOn, isSplit, paneOf, parsed, single } from "./panes/layout";
import type { Layout } from "./panes/layout";

const NAME = "downbeat.panes";
/** The layouts that are kept: the projects worked on last. */
const KEPT_AT_MOST = 8;
/** A kept value may have 4,096 bytes. */
const BYTES_AT_MOST = 4_000;

export class Panes {
  /** By project; the one on show was put in last. */
  #layouts = $state.raw<ReadonlyMap<ProjectId, Layout>>(new Map());
  /** The project whose panes are on show. They may hold sessions of others, too. */
  #current = $state<ProjectId | null>(null);
  /** Counts how often the focused pane was asked to take the keyboard. */
  asked = $state(0);
  /** The panes that have room beside each other. */
  columns = $state(3);
  /** Returns the project of a session; null while it is not known. */
  projectOf: (id: SessionId) => ProjectId | null = () => null;

  constructor(readonly kept: Kept) {
    this.recall();
  }

  /** The layout on show, or that would be shown. */
  get layout(): Layout | null {
    return this.#current === null ? null : (this.#layouts.get(this.#current) ?? null);
  }

  /** Opens a session in its pane, else in an empty pane with the focus, else in the focused pane of its project. */
  open(id: SessionId): void {
    const to = this.#opening(id);
    if (to) this.#show(to.project, to.layout);
  }

  /** Opens a session without taking another one's pane; returns whether it could. */
  reopen(id: SessionId): boolean {
    const to = this.#opening(id);
    if (!to) return false;
    const before = this.#layouts.get(to.project);
    if (before && isSplit(before) && paneOf(before, id) < 0 && focused(before) !== null)
      return false;
    this.#show(to.project, to.layout);
    return true;
  }

  /** Returns the layout that opening a session would show; null if its project is not known. */
  opened(id: SessionId): Layout | null {
    return this.#opening(id)?.layout ?? null;
  }

  #opening(id: SessionId): { project: ProjectId; layout: Layout } | null {
    const current = this.#current;
    const here = this.layout;
    const at = here ? paneOf(here, id) : -1;
    if (current !== null && here && at >= 0)
      return { project: current, layout: focusedOn(here, at) };
    if (current !== null && here && isSplit(here) && focused(here) === null)
      return { project: current, layout: filled(here, id) };
    const project = this.projectOf(id) ?? current;
    if (project === null) return null;
    const there = this.#layouts.get(project);
    if (there === undefined) return { project, layout: single(id) };
    const known = paneOf(there, id);
    return { project, layout: known >= 0 ? focusedOn(there, known) : filled(there, id) };
  }

  /** Sets the layout on show. */
  put(layout: Layout): void {
    if (this.#current !== null) this.#show(this.#current, layout);
  }

  #show(project: ProjectId, layout: Layout): void {
    if (project === this.#current && this.layout === layout) return;
    const layouts = new Map(this.#layouts);
    layouts.delete(project);
    this.#layouts = layouts.set(project, layout);
    this.#current = project;
    this.#keep();
  }

  /** Takes up what the previous window kept. */
  recall(): void {
    const { current, layouts } = read(this.kept.get(NAME));
    this.#current = current;
    this.#layouts = layouts;
  }

  #keep(): void {
    const all = [...this.#layouts].filter(
      ([project, layout]) => project === this.#current || isSplit(layout),
    );
    for (let most = KEPT_AT_MOST; most > 0; most -= 1) {
      const text = JSON.stringify({ current: this.#current, layouts: all.slice(-most) });
      if (new TextEncoder().encode(text).length > BYTES_AT_MOST) continue;
      return this.kept.set(NAME, text);
    }
  }
}

function read(text: string | null): {
  current: ProjectId | null;
  layouts: ReadonlyMap<ProjectId, Layout>;
} {
  const layouts = new Map<ProjectId, Layout>();
  let current: ProjectId | null = null;
  try {
    const kept: unknown = JSON.parse(text ?? "null");
    if (typeof kept !== "object" || kept === null) return { current, layouts };
    const { current: last, layouts: all } = kept as Record<string, unknown>;
    for (const one of Array.isArray(all) ? (all as unknown[]) : []) {
      const [project, layout] = Array.isArray(one) ? (one as unknown[]) : [];
      const known = parsed(layout);
      if (typeof project === "string" && known !== null) layouts.set(project, known);
    }
    if (typeof last === "string" && layouts.has(last)) current = last;
  } catch {
    // Not what a page of this version kept: begins without panes.
  }
  return { current, layouts };
}
