// The state of the window's view. Not a router: there are no addresses, only a view and a way back.
import type { ProjectId, SessionId } from "~/wire/types";
import type { Kept } from "./kept";

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
export type SessionTab = "terminal" | "changes" | "workers";

export type View =
  | { kind: "home" }
  | { kind: "attention" }
  | { kind: "cost" }
  | { kind: "session"; id: SessionId }
  | { kind: "mergeQueue"; projectId: ProjectId }
  | { kind: "compare"; ids: readonly SessionId[] }
  | { kind: "settings"; page: SettingsPage };

const LAST = "downbeat.view";
const SHELLS = "downbeat.shells";
const WIDTH = "downbeat.sidebar";
const SIDEBAR = { least: 220, most: 420, usual: 272 };

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

  constructor(readonly kept: Kept) {
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
      if (isView(state)) this.view = state;
    });
  }

  /** Restores the last view after a reload or a start. */
  recall() {
    this.sidebarWidth = widthWithin(Number(this.kept.get(WIDTH)) || SIDEBAR.usual);
    const last = isView(history.state) ? history.state : lastView(this.kept.get(LAST));
    if (last !== null) this.view = last;
  }

  get sessionId(): SessionId | null {
    return this.view.kind === "session" ? this.view.id : null;
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
    this.show({ kind: "session", id });
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
    this.sidebarWidth = widthWithin(width);
    this.kept.set(WIDTH, String(this.sidebarWidth));
  }
}

const widthWithin = (width: number) =>
  Math.round(Math.max(SIDEBAR.least, Math.min(SIDEBAR.most, width)));

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
