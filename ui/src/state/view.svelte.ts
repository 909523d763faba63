// The state of the window's view. Not a router: there are no addresses, only a view and a way back.
import type { PlanId, ProjectId, SessionId } from "~/wire/types";
import type { Kept } from "./kept";
import { Panes } from "./panes.svelte";
import * as layouts from "./panes/layout";
import type { Direction, Layout, Zone } from "./panes/layout";

export type SettingsPage =
  | "general"
  | "notifiers"
  | "forges"
  | "agents"
  | "projects"
  | "power"
  | "appearance"
  | "keys"
  | "about";
export type SessionTab = "terminal" | "changes" | "story" | "workers";

export type View =
  | { kind: "home" }
  | { kind: "attention" }
  | { kind: "cost" }
  | { kind: "timeline"; projectId?: ProjectId }
  | { kind: "session"; id: SessionId }
  | { kind: "mergeQueue"; projectId: ProjectId }
  | { kind: "fix"; projectId: ProjectId }
  | { kind: "plans"; projectId?: ProjectId }
  | { kind: "plan"; id: PlanId }
  | { kind: "compare"; ids: readonly SessionId[] }
  | { kind: "settings"; page: SettingsPage };

const LAST = "downbeat.view";
const SHELLS = "downbeat.shells";
const WIDTH = "downbeat.sidebar";
const SIDEBAR = { least: 220, most: 420, usual: 272 };
const DETAILS_WIDTH = "downbeat.details";
const DETAILS = { least: 240, most: 560, usual: 300 };

/** Below this width the details would leave too little room for eighty columns. */
const ROOMY = "(min-width: 1120px)";

/** Below this width the sidebar is a drawer. */
export const NARROW = "(max-width: 900px)";

export class ViewState {
  view = $state.raw<View>({ kind: "home" });
  /** The chosen tab of each conductor; the terminal by default. */
  #tabs = $state<Record<SessionId, SessionTab>>({});
  /** The shell shown in place of each agent's terminal; kept over a reload of this window. */
  #shells = $state<Record<SessionId, SessionId>>(shellsBefore());
  /** The workers of each conductor that are compared side by side; absent if they are cards. */
  #compared = $state<Record<SessionId, readonly SessionId[]>>({});
  collapsed = $state<Record<string, boolean>>({});
  sidebarHidden = $state(false);
  drawerOpen = $state(false);
  detailsHidden = $state(false);
  /** Whether the details are open as a sheet over the view, when there is no room next to it. */
  detailsSheet = $state(false);
  /** Whether there is room for the details next to a terminal. */
  roomy = $state(false);
  noticesOpen = $state(false);
  narrow = $state(false);
  /** Counts how often the person opened the session that is already open. */
  reopened = $state(0);
  /** Whether the focus should stay where it was when this session was opened. */
  staysBehind = false;
  sidebarWidth = $state(SIDEBAR.usual);
  detailsWidth = $state(DETAILS.usual);
  readonly panes: Panes;
  /** The panes on show; null if one session has the whole view. */
  readonly split: Layout | null = $derived.by(() => {
    const layout = this.#arranged;
    const shown = layout && layouts.isSplit(layout) && !layout.zoomed && !this.narrow;
    return shown ? layout : null;
  });

  constructor(readonly kept: Kept) {
    this.panes = new Panes(kept);
    const media = window.matchMedia(NARROW);
    this.narrow = media.matches;
    media.addEventListener("change", () => {
      this.narrow = media.matches;
      this.drawerOpen = false;
    });
    const roomy = window.matchMedia(ROOMY);
    this.roomy = roomy.matches;
    roomy.addEventListener("change", () => {
      this.roomy = roomy.matches;
      this.detailsSheet = false;
    });
    this.recall();
    window.addEventListener("popstate", ({ state }: PopStateEvent) => {
      if (!isView(state)) return;
      this.view = state;
      if (state.kind !== "session") return;
      // A session that lost its pane is shown alone: a step back changes no layout.
      this.panes.reopen(state.id);
      this.panes.asked += 1;
    });
  }

  /** Restores the last view after a reload or a start. */
  recall() {
    this.sidebarWidth = within(Number(this.kept.get(WIDTH)) || SIDEBAR.usual, SIDEBAR);
    this.detailsWidth = within(Number(this.kept.get(DETAILS_WIDTH)) || DETAILS.usual, DETAILS);
    const last = isView(history.state) ? history.state : lastView(this.kept.get(LAST));
    if (last !== null) this.view = last;
    this.panes.recall();
  }

  /** The session in view; null if the focused pane is empty, too. */
  get sessionId(): SessionId | null {
    if (this.view.kind !== "session") return null;
    return this.split === null ? this.view.id : layouts.focused(this.split);
  }

  /** The layout that the session in view belongs to; null if the view is another one. */
  get #arranged(): Layout | null {
    if (this.view.kind !== "session") return null;
    const { layout } = this.panes;
    const at = layout && layouts.focused(layout);
    return layout && (at === this.view.id || (at === null && layouts.isSplit(layout)))
      ? layout
      : layouts.single(this.view.id);
  }

  /** The layout that a change begins with: that of the session in view, once it is opened there. */
  get #changed(): Layout | null {
    const shown = this.#arranged;
    if (shown === this.panes.layout || this.view.kind !== "session") return shown;
    return this.panes.opened(this.view.id) ?? shown;
  }

  /** Whether the session in view hides the other panes. */
  get zoomed(): boolean {
    return !this.narrow && this.split === null && this.paneCount > 1;
  }

  /** The number of the pane that has the whole view; undefined if there are no panes. */
  get pane(): number | undefined {
    return this.narrow ? undefined : this.#changed?.focus;
  }

  /** The number of panes that the session in view belongs to. */
  get paneCount(): number {
    return this.#arranged === null ? 0 : layouts.cells(this.#arranged).length;
  }

  /** Whether a session is in view, alone or in a pane. */
  isShown(id: SessionId): boolean {
    return this.split === null ? this.sessionId === id : layouts.paneOf(this.split, id) >= 0;
  }

  /** Changes the panes if there is a view of them and `change` finds a way; the keyboard goes to the focused one. */
  arrange(change: (layout: Layout) => Layout | null): boolean {
    const next = this.#after(change);
    if (!next) return false;
    if (this.view.kind === "session" && this.#arranged !== this.panes.layout)
      this.panes.open(this.view.id);
    this.panes.put(next);
    this.#settle(layouts.focused(next));
    this.staysBehind = false;
    this.panes.asked += 1;
    return true;
  }

  /** Whether `change` would change the panes. */
  canArrange(change: (layout: Layout) => Layout | null): boolean {
    return !this.narrow && this.#after(change) !== null;
  }

  /** Returns what `change` makes of the panes; null if what is on show, or what it is kept in, allows none. */
  #after(change: (layout: Layout) => Layout | null): Layout | null {
    const [shown, kept] = [this.#arranged, this.#changed];
    if (shown === null || kept === null || change(shown) === null) return null;
    return change(kept);
  }

  /** Follows the focus of the page to a pane. */
  focusPane(at: number) {
    this.staysBehind = false;
    if (this.split === null || this.split.focus === at) return;
    const next = layouts.focusedOn(this.split, at);
    this.panes.put(next);
    this.#settle(layouts.focused(next));
  }

  /** Closes a pane; what has no other pane leaves the view. */
  closePane(at?: number) {
    const closed = this.arrange((layout) => layouts.closed(layout, at));
    if (!closed || (this.split === null && this.sessionId === null))
      return this.show({ kind: "home" });
    const { layout } = this.panes;
    if (layout && layouts.focused(layout) === null && !layouts.isSplit(layout))
      this.show({ kind: "home" });
  }

  /** Opens a session beside those in view; returns false if there is no room. */
  openBeside(id: SessionId): boolean {
    if (this.narrow || this.view.kind !== "session") {
      const { layout } = this.panes;
      const next = this.narrow ? null : layout && layouts.added(layout, id);
      if (layout && next === null && !this.narrow) return false;
      if (next) this.panes.put({ ...next, zoomed: false });
      this.open(id);
      return true;
    }
    return this.arrange((layout) => {
      const next = layouts.added(layout, id);
      return next && { ...next, zoomed: false };
    });
  }

  /** Puts a session that was dropped on a pane there; returns false if there is no room. */
  dropOn(id: SessionId, at: number, zone: Zone): boolean {
    return this.arrange((layout) => layouts.dropped(layout, id, at, zone));
  }

  /** Returns the pane in a direction, as this window shows the panes. */
  towards(layout: Layout, direction: Direction): number | null {
    return layouts.towards(layout, layouts.fitted(layout, this.panes.columns), direction);
  }

  /** Leaves a session that was put away; panes stay. */
  leave(id: SessionId) {
    if (this.sessionId === id && this.split === null) this.show({ kind: "home" });
  }

  /** Names the session that has the focus, without a step back. */
  #settle(id: SessionId | null) {
    if (id === null || this.view.kind !== "session" || this.view.id === id) return;
    const view: View = { kind: "session", id };
    this.view = view;
    history.replaceState(view, "");
    this.kept.set(LAST, JSON.stringify(view));
  }

  show(view: View) {
    this.drawerOpen = false;
    this.detailsSheet = false;
    this.noticesOpen = false;
    if (JSON.stringify(view) === JSON.stringify(this.view)) return;
    // Back leads to the first view, too, which nobody had to ask for.
    if (!isView(history.state)) history.replaceState(this.view, "");
    this.view = view;
    history.pushState(view, "");
    this.kept.set(LAST, JSON.stringify(view));
  }

  /** Opens a session. With `stay`, the terminal does not take the focus. */
  open(id: SessionId, tab?: SessionTab, { stay = false } = {}) {
    if (tab) this.setTab(id, tab);
    this.staysBehind = stay;
    if (stay && this.sessionId === id) return;
    if (this.sessionId === id) this.reopened += 1;
    this.panes.open(id);
    // Panes show terminals; everything else of a session needs the whole view.
    const { layout } = this.panes;
    if (tab !== undefined && tab !== "terminal" && layout && layouts.isSplit(layout))
      this.panes.put({ ...layout, zoomed: true });
    this.show({ kind: "session", id });
    if (!stay) this.panes.asked += 1;
  }

  tabOf(id: SessionId): SessionTab {
    return this.#tabs[id] ?? "terminal";
  }

  setTab(id: SessionId, tab: SessionTab) {
    this.#tabs[id] = tab;
  }

  shellOf(id: SessionId): SessionId | null {
    return this.#shells[id] ?? null;
  }

  /** Shows a shell next to a session's agent; null shows the agent. */
  setShell(id: SessionId, shell: SessionId | null) {
    if (shell === null) Reflect.deleteProperty(this.#shells, id);
    else this.#shells[id] = shell;
    sessionStorage.setItem(SHELLS, JSON.stringify(this.#shells));
  }

  comparedOf(conductor: SessionId): readonly SessionId[] | null {
    return this.#compared[conductor] ?? null;
  }

  /** Shows these workers side by side; null shows cards again. */
  compare(conductor: SessionId, workers: readonly SessionId[] | null) {
    if (workers === null) Reflect.deleteProperty(this.#compared, conductor);
    else this.#compared[conductor] = workers;
  }

  toggleDetails() {
    if (this.roomy) this.detailsHidden = !this.detailsHidden;
    else this.detailsSheet = !this.detailsSheet;
  }

  toggleSidebar() {
    if (this.narrow) this.drawerOpen = !this.drawerOpen;
    else this.sidebarHidden = !this.sidebarHidden;
  }

  toggleCollapsed(id: string, collapsed = !this.collapsed[id]) {
    this.collapsed[id] = collapsed;
  }

  resizeSidebar(width: number) {
    this.sidebarWidth = within(width, SIDEBAR);
    this.kept.set(WIDTH, String(this.sidebarWidth));
  }

  resizeDetails(width: number) {
    this.detailsWidth = within(width, DETAILS);
    this.kept.set(DETAILS_WIDTH, String(this.detailsWidth));
  }
}

const within = (width: number, { least, most }: { least: number; most: number }) =>
  Math.round(Math.max(least, Math.min(most, width)));

/** Returns the last view of the previous window; null if it is not a known view. */
function lastView(text: string | null): View | null {
  try {
    const kept: unknown = JSON.parse(text ?? "null");
    return isView(kept) ? kept : null;
  } catch {
    return null;
  }
}

/** Returns the shells that were shown before a reload. */
function shellsBefore(): Record<SessionId, SessionId> {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(SHELLS) ?? "{}");
    const chosen = typeof kept === "object" && kept !== null ? Object.entries(kept) : [];
    return Object.fromEntries(chosen.filter(([, shell]) => typeof shell === "string"));
  } catch {
    return {};
  }
}

function isView(value: unknown): value is View {
  return typeof value === "object" && value !== null && "kind" in value;
}
