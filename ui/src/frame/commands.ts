// The one table of commands. Window commands are defined here with their implementation; session commands
// come from the session actions. Commands that a view implements (write a message, find in its terminal) have
// only a row here; the view provides the handler while it is mounted.
import { readNotices } from "~/features/notices/read";
import * as panes from "~/features/panes/actions";
import {
  canPerform,
  rowOf,
  SESSION_COMMANDS,
  type SessionCommand,
} from "~/features/sessions/actions";
import { stopAll } from "~/features/removal/stop-all";
import * as shells from "~/features/shells/actions";
import type { App } from "~/state/app.svelte";
import { step as stepPane, type Direction } from "~/state/panes/layout";
import type { CommandId, CommandRow, CommandRows } from "~/state/keys/table";
import { endedIn, type EndedScope } from "~/state/sessions/ended";
import { changeSettings } from "~/state/settings";
import { TEXT } from "~/theme/text-size";
import type { ProjectId } from "~/wire/types";
import { stepRegion } from "./regions";
import { buildTree, sessionIds } from "./sidebar/tree";

export interface WindowCommand extends CommandRow {
  /** Absent if a view provides the handler. */
  run?: (app: App) => void;
  /** Whether the command is available now; default yes. */
  enabled?: (app: App) => boolean;
}

function step(app: App, by: 1 | -1) {
  const { fleet, view, sidebar } = app;
  const ids = sessionIds(
    buildTree(fleet.projects, fleet.sessions, view.collapsed, sidebar.looking),
  );
  const at = ids.indexOf(app.view.sessionId ?? "");
  const next = at === -1 ? ids.at(by === 1 ? 0 : -1) : ids[(at + by + ids.length) % ids.length];
  if (next !== undefined) app.view.open(next);
}

/**
 * Opens the session that needs the person the longest; from one of them, the next one, so that the queue
 * drains.
 */
function nextNeedy(app: App) {
  const needy = app.fleet.needy;
  const at = needy.findIndex(({ id }) => id === app.view.sessionId);
  const next = needy[(at + 1) % needy.length];
  if (next) app.view.open(next.id, "terminal");
  else app.view.show({ kind: "attention" });
}

const inView = (app: App) => app.fleet.session(app.view.sessionId);

/** Returns the project in view, or the only one. */
function projectInView(app: App): ProjectId | undefined {
  const [only, ...others] = app.fleet.projects;
  return inView(app)?.projectId ?? (others.length === 0 ? only?.id : undefined);
}

/** Returns null if no session of the project in view has ended. */
function endedScope(app: App): EndedScope | null {
  const projectId = projectInView(app);
  if (projectId === undefined) return null;
  return endedIn(app.fleet.sessions, { projectId }).length > 0 ? { projectId } : null;
}

/** Returns the conductor in view if it accepts new workers. */
function conductorInView(app: App) {
  const session = inView(app);
  return session && canPerform(app, session, "newWorker")
    ? { projectId: session.projectId, parent: session.id }
    : {};
}

/** Steps to another of a session's terminals, or a conductor's workers. */
function otherTab(by: 1 | -1) {
  return {
    enabled: (app: App) => {
      const session = inView(app);
      if (!session) return false;
      return session.role === "conductor" || session.workers > 0 || session.shells.length > 0;
    },
    run: (app: App) => {
      const session = inView(app);
      if (session) shells.step(app, session, by);
    },
  };
}

function chooseTheme(theme: "light" | "dark" | "system") {
  return {
    enabled: (app: App) => app.theme.choice !== theme,
    run: (app: App) => {
      app.theme.choose(theme);
      void app.attempt("Could not save the theme", () => app.call("editSettings", { theme }));
    },
  };
}

/** The bounds of the size of text in terminals. */
const TERMINAL_TEXT = { least: 8, most: 32 };

const within = (size: number, { least, most }: { least: number; most: number }) =>
  Math.min(most, Math.max(least, size));

/** Makes the text of the interface and of terminals larger or smaller by a pixel. */
const resizesText = (by: 1 | -1) => {
  const next = (app: App) => {
    const { settings } = app.fleet;
    if (settings === null) return null;
    const interfaceFontSize = within(settings.interfaceFontSize + by, TEXT);
    const terminalFontSize = within(settings.terminalFontSize + by, TERMINAL_TEXT);
    const isSame =
      interfaceFontSize === settings.interfaceFontSize &&
      terminalFontSize === settings.terminalFontSize;
    return isSame ? null : { interfaceFontSize, terminalFontSize };
  };
  return {
    run: (app: App) => {
      const change = next(app);
      if (change) void changeSettings(app, change);
    },
    enabled: (app: App) => next(app) !== null,
  };
};

/** Keys of panes: the letter with the modifiers that neither systems nor browsers use. */
const paneKeys = (key: string) => ({ keys: { mac: `mod+Ctrl+${key}`, pc: `Alt+Shift+${key}` } });

const splits = (edge: Direction) => ({
  run: (app: App) => void panes.splitPane(app, edge),
  enabled: (app: App) => panes.canSplit(app, edge),
});
const stepsPane = (by: 1 | -1) => ({
  run: (app: App) =>
    void app.view.arrange((layout) => ({ ...layout, focus: stepPane(layout, by) })),
  enabled: (app: App) => app.view.split !== null,
});
const goes = (direction: Direction) => ({
  run: (app: App) => void panes.focusTowards(app, direction),
  enabled: (app: App) => panes.canFocus(app, direction),
});
const moves = (direction: Direction) => ({
  run: (app: App) => void panes.movePane(app, direction),
  enabled: (app: App) => panes.canFocus(app, direction),
});

const anySession = (app: App) => app.fleet.order.length > 0;

const { newWorker, compare, ...ofSession } = Object.fromEntries(
  SESSION_COMMANDS.map((id) => [id, rowOf(id)]),
) as Record<SessionCommand, CommandRow>;

/** The commands, in display order. */
export const COMMANDS = {
  palette: {
    title: "Search or run a command",
    group: "Go",
    keys: "mod+K",
    run: (app) => app.dialogs.open({ kind: "palette" }),
  },
  search: {
    title: "Search conversations",
    group: "Go",
    // In a terminal, Ctrl+Shift+F opens its find bar.
    keys: { mac: "mod+Shift+F", pc: "Alt+Shift+F" },
    run: (app) => app.dialogs.open({ kind: "palette", said: true }),
  },
  board: {
    title: "Show the board",
    group: "Go",
    keys: { mac: "mod+Alt+O", pc: "Alt+Shift+O" },
    run: (app) => app.view.show({ kind: "home" }),
  },
  nextNeedy: {
    title: "Go to the next session that needs me",
    group: "Go",
    keys: "mod+Shift+A",
    run: nextNeedy,
  },
  attention: {
    title: "Show what needs me",
    group: "Go",
    run: (app) => app.view.show({ kind: "attention" }),
  },
  cost: {
    title: "Show what agents cost",
    group: "Go",
    run: (app) => app.view.show({ kind: "cost" }),
  },
  timeline: {
    title: "Show timeline",
    group: "Go",
    keys: { mac: "mod+Alt+T", pc: "Alt+Shift+T" },
    run: (app) => app.view.show({ kind: "timeline" }),
  },
  plans: {
    title: "Show plans",
    group: "Go",
    keys: { mac: "mod+Alt+P", pc: "Alt+Shift+P" },
    run: (app) => app.view.show({ kind: "plans" }),
  },
  previousSession: {
    title: "Previous session",
    group: "Go",
    keys: { mac: "mod+Alt+ArrowUp", pc: "Alt+Shift+ArrowUp" },
    run: (app) => step(app, -1),
    enabled: anySession,
  },
  nextSession: {
    title: "Next session",
    group: "Go",
    keys: { mac: "mod+Alt+ArrowDown", pc: "Alt+Shift+ArrowDown" },
    run: (app) => step(app, 1),
    enabled: anySession,
  },
  previousTab: {
    title: "Previous tab of the session",
    group: "Go",
    keys: { mac: "mod+Alt+ArrowLeft", pc: "Alt+Shift+ArrowLeft" },
    ...otherTab(-1),
  },
  nextTab: {
    title: "Next tab of the session",
    group: "Go",
    keys: { mac: "mod+Alt+ArrowRight", pc: "Alt+Shift+ArrowRight" },
    ...otherTab(1),
  },
  focusSidebar: { title: "Focus the sidebar", group: "Go", keys: "mod+Shift+E" },
  nextRegion: {
    title: "Go to the next part of the window",
    group: "Go",
    keys: "F6",
    run: () => stepRegion(1),
  },
  previousRegion: {
    title: "Go to the previous part of the window",
    group: "Go",
    keys: "Shift+F6",
    run: () => stepRegion(-1),
  },
  writeMessage: {
    title: "Write a message",
    group: "Session",
    keys: { mac: "mod+Shift+U", pc: "Alt+Shift+M" },
  },
  answer: {
    title: "Answer the question",
    group: "Session",
    keys: { mac: "mod+Shift+Y", pc: "Alt+Shift+A" },
  },
  approve: { title: "Approve the work in view", group: "Session" },
  requestChanges: { title: "Request changes of the work in view", group: "Session" },
  notices: {
    title: "Show notices",
    group: "Go",
    keys: "mod+Shift+M",
    run: (app) => {
      if (app.view.narrow) app.view.drawerOpen = true;
      app.view.sidebarHidden = false;
      app.view.noticesOpen = !app.view.noticesOpen;
    },
  },

  newSession: {
    title: "New session",
    group: "Session",
    keys: "mod+N",
    browser: "Alt+Shift+N",
    run: (app) =>
      app.dialogs.open(
        app.fleet.projects.length === 0 ? { kind: "addProject" } : { kind: "newSession" },
      ),
  },
  newWorker,
  tryTwo: {
    title: "Run with several agents…",
    group: "Session",
    run: (app) => app.dialogs.open({ kind: "newSession", several: true, ...conductorInView(app) }),
    enabled: (app) => app.fleet.projects.length > 0,
  },
  compare,
  find: { title: "Find in the terminal", group: "Session", keys: "mod+F" },
  ...ofSession,

  newPlan: {
    title: "New plan…",
    group: "Projects",
    run: (app) => app.dialogs.open({ kind: "newPlan", projectId: projectInView(app) }),
    enabled: (app) => app.fleet.projects.length > 0,
  },
  addProject: {
    title: "Add project",
    group: "Projects",
    run: (app) => app.dialogs.open({ kind: "addProject" }),
  },
  stopAll: {
    title: "Stop all sessions…",
    group: "Projects",
    run: (app) => stopAll(app),
    enabled: (app) => app.fleet.holdsAny,
  },
  archived: {
    title: "Archived sessions…",
    group: "Projects",
    run: (app) => {
      const projectId = projectInView(app);
      if (projectId !== undefined) app.dialogs.open({ kind: "archive", projectId });
    },
    enabled: (app) => projectInView(app) !== undefined,
  },
  mergeQueue: {
    title: "Show the merge queue",
    group: "Projects",
    run: (app) => {
      const projectId = projectInView(app);
      if (projectId !== undefined) app.view.show({ kind: "mergeQueue", projectId });
    },
    enabled: (app) => projectInView(app) !== undefined,
  },
  redToGreen: {
    title: "Show red to green",
    group: "Projects",
    run: (app) => {
      const projectId = projectInView(app);
      if (projectId !== undefined) app.view.show({ kind: "fix", projectId });
    },
    enabled: (app) => projectInView(app) !== undefined,
  },
  removeEnded: {
    title: "Remove all ended sessions…",
    group: "Projects",
    run: (app) => {
      const scope = endedScope(app);
      if (scope) app.dialogs.open({ kind: "removeEnded", scope });
    },
    enabled: (app) => endedScope(app) !== null,
  },

  toggleSidebar: {
    title: "Show or hide the sidebar",
    group: "View",
    keys: "mod+B",
    run: (app) => app.view.toggleSidebar(),
  },
  toggleDetails: {
    title: "Show or hide session details",
    group: "View",
    keys: "mod+.",
    run: (app) => app.view.toggleDetails(),
    enabled: (app) => app.view.sessionId !== null && app.view.split === null,
  },
  splitRight: { title: "Split right", group: "View", ...paneKeys("V"), ...splits("right") },
  splitBelow: { title: "Split below", group: "View", ...paneKeys("B"), ...splits("down") },
  closePane: {
    title: "Close pane",
    group: "View",
    ...paneKeys("W"),
    run: (app) => app.view.closePane(),
    enabled: (app) => app.view.split !== null,
  },
  zoomPane: {
    title: "Zoom pane, or show all again",
    group: "View",
    ...paneKeys("Z"),
    run: panes.toggleZoom,
    enabled: (app) => app.view.zoomed || (app.view.split !== null && app.view.sessionId !== null),
  },
  nextPane: { title: "Next pane", group: "View", ...paneKeys("PageDown"), ...stepsPane(1) },
  previousPane: { title: "Previous pane", group: "View", ...paneKeys("PageUp"), ...stepsPane(-1) },
  paneLeft: {
    title: "Go to the pane on the left",
    group: "View",
    ...paneKeys("J"),
    ...goes("left"),
  },
  paneRight: {
    title: "Go to the pane on the right",
    group: "View",
    ...paneKeys("L"),
    ...goes("right"),
  },
  paneUp: { title: "Go to the pane above", group: "View", ...paneKeys("I"), ...goes("up") },
  paneDown: { title: "Go to the pane below", group: "View", ...paneKeys("K"), ...goes("down") },
  movePaneLeft: { title: "Move pane left", group: "View", ...moves("left") },
  movePaneRight: { title: "Move pane right", group: "View", ...moves("right") },
  movePaneUp: { title: "Move pane up", group: "View", ...moves("up") },
  movePaneDown: { title: "Move pane down", group: "View", ...moves("down") },
  largerText: {
    title: "Larger text",
    group: "View",
    keys: "mod+=",
    keysOfBrowser: true,
    ...resizesText(1),
  },
  smallerText: {
    title: "Smaller text",
    group: "View",
    keys: "mod+-",
    keysOfBrowser: true,
    ...resizesText(-1),
  },
  usualText: {
    title: "Reset text size",
    group: "View",
    keys: "mod+0",
    keysOfBrowser: true,
    run: (app) =>
      void changeSettings(app, { interfaceFontSize: TEXT.usual, terminalFontSize: TEXT.usual }),
    enabled: (app) => app.fleet.settings !== null,
  },
  themeLight: { title: "Theme: light", group: "View", ...chooseTheme("light") },
  themeDark: { title: "Theme: dark", group: "View", ...chooseTheme("dark") },
  themeSystem: { title: "Theme: system", group: "View", ...chooseTheme("system") },

  settings: {
    title: "Settings",
    group: "Downbeat",
    keys: "mod+,",
    run: (app) => app.view.show({ kind: "settings", page: "general" }),
  },
  keys: {
    title: "Keyboard shortcuts",
    group: "Downbeat",
    keys: "mod+/",
    run: (app) => app.dialogs.open({ kind: "keys" }),
  },
  readNotices: {
    title: "Mark all notices as read",
    group: "Downbeat",
    run: (app) => void readNotices(app),
    enabled: (app) => app.fleet.unread > 0,
  },
  quit: {
    title: "Quit Downbeat",
    group: "Downbeat",
    keys: "mod+Q",
    desktop: true,
    run: (app) => void app.attempt("Could not quit", async () => app.platform.quit?.begin()),
    enabled: (app) => app.platform.quit !== undefined,
  },
} satisfies Record<CommandId, WindowCommand> & CommandRows;
