// The one table of commands and their keys. The palette, the settings, the key sheet and the menus
// are views of it. `mod` is ⌘ on macOS, else Ctrl; because a terminal owns plain Ctrl+letter, those
// chords become Ctrl+Shift+letter in a terminal, and a function key takes Ctrl there (see bindings.ts).
// These are the default keys; the person may choose others (settings, `keys`).
import type { Command } from "~/wire/types";

export type Group = "Go" | "Session" | "Projects" | "View" | "Downbeat";

interface Row {
  title: string;
  group: Group;
  /** One chord everywhere, or one per kind of system. */
  keys?: string | { mac: string; pc: string };
  /** An extra chord in hosts that keep the usual one for themselves. */
  browser?: string;
  /** Only where the host can do it: a browser ends its own windows. */
  desktop?: true;
}

export const COMMANDS = {
  palette: { title: "Search or run a command", group: "Go", keys: "mod+K" },
  search: {
    title: "Search conversations",
    group: "Go",
    // Where a terminal has the focus, Ctrl+Shift+F finds in it.
    keys: { mac: "mod+Shift+F", pc: "Alt+Shift+F" },
  },
  nextNeedy: { title: "Go to the next session that needs me", group: "Go", keys: "mod+Shift+A" },
  attention: { title: "Show what needs me", group: "Go" },
  cost: { title: "Show what agents cost", group: "Go" },
  previousSession: {
    title: "Previous session",
    group: "Go",
    keys: { mac: "mod+Alt+ArrowUp", pc: "Alt+Shift+ArrowUp" },
  },
  nextSession: {
    title: "Next session",
    group: "Go",
    keys: { mac: "mod+Alt+ArrowDown", pc: "Alt+Shift+ArrowDown" },
  },
  previousTab: {
    title: "Previous tab of the session",
    group: "Go",
    keys: { mac: "mod+Alt+ArrowLeft", pc: "Alt+Shift+ArrowLeft" },
  },
  nextTab: {
    title: "Next tab of the session",
    group: "Go",
    keys: { mac: "mod+Alt+ArrowRight", pc: "Alt+Shift+ArrowRight" },
  },
  focusSidebar: { title: "Focus the sidebar", group: "Go", keys: "mod+Shift+E" },
  nextRegion: { title: "Go to the next part of the window", group: "Go", keys: "F6" },
  previousRegion: { title: "Go to the previous part of the window", group: "Go", keys: "Shift+F6" },
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
  notices: { title: "Show notices", group: "Go", keys: "mod+Shift+M" },

  newSession: { title: "New session", group: "Session", keys: "mod+N", browser: "Alt+Shift+N" },
  newWorker: { title: "New worker under this session", group: "Session" },
  tryTwo: { title: "Run with several agents…", group: "Session" },
  compare: {
    title: "Compare sessions side by side",
    group: "Session",
    keys: { mac: "mod+Alt+C", pc: "Alt+Shift+C" },
  },
  find: { title: "Find in the terminal", group: "Session", keys: "mod+F" },
  newShell: {
    title: "New shell in this worktree",
    group: "Session",
    keys: { mac: "mod+Alt+S", pc: "Alt+Shift+S" },
  },
  closeShell: { title: "Close this shell", group: "Session" },
  rename: { title: "Rename session", group: "Session", keys: "F2" },
  resume: { title: "Resume session", group: "Session", keys: "mod+Shift+R" },
  pause: { title: "Pause session", group: "Session" },
  goOn: { title: "Continue a paused or limited session", group: "Session" },
  restart: {
    title: "Restart agent…",
    group: "Session",
    keys: { mac: "mod+Alt+R", pc: "Alt+Shift+R" },
  },
  fork: {
    title: "Fork session…",
    group: "Session",
    keys: { mac: "mod+Shift+D", pc: "Alt+Shift+D" },
  },
  handOver: {
    title: "Switch agent…",
    group: "Session",
    keys: { mac: "mod+Shift+H", pc: "Alt+Shift+H" },
  },
  retrySetup: { title: "Retry set-up", group: "Session" },
  startAnyway: { title: "Start anyway", group: "Session" },
  stop: { title: "Stop session", group: "Session" },
  kill: { title: "Kill worker or session", group: "Session", keys: "mod+Shift+Backspace" },
  killWorkers: { title: "Kill all workers", group: "Session" },
  removeWorkspace: { title: "Remove worktree…", group: "Session" },
  restoreWork: { title: "Restore saved work…", group: "Session" },
  forget: { title: "Remove session from list", group: "Session" },
  archive: {
    title: "Archive session",
    group: "Session",
    keys: { mac: "mod+Alt+E", pc: "Alt+Shift+E" },
  },
  copyBranch: { title: "Copy branch name", group: "Session" },
  copyPath: { title: "Copy workspace path", group: "Session" },

  addProject: { title: "Add project", group: "Projects" },
  stopAll: { title: "Stop all sessions", group: "Projects" },
  archived: { title: "Archived sessions…", group: "Projects" },
  removeEnded: { title: "Remove all ended sessions…", group: "Projects" },

  toggleSidebar: { title: "Show or hide the sidebar", group: "View", keys: "mod+B" },
  toggleDetails: { title: "Show or hide session details", group: "View", keys: "mod+." },
  themeLight: { title: "Theme: light", group: "View" },
  themeDark: { title: "Theme: dark", group: "View" },
  themeSystem: { title: "Theme: system", group: "View" },

  settings: { title: "Settings", group: "Downbeat", keys: "mod+," },
  keys: { title: "Keyboard shortcuts", group: "Downbeat", keys: "mod+/" },
  readNotices: { title: "Mark all notices as read", group: "Downbeat" },
  quit: { title: "Quit Downbeat", group: "Downbeat", keys: "mod+Q", desktop: true },
} as const satisfies Record<Command, Row>;

export type CommandId = Command;

export const COMMAND_IDS = Object.keys(COMMANDS) as CommandId[];

/** The row of a command, with what it may lack as optional. */
export function rowOf(id: CommandId): Row {
  return COMMANDS[id];
}
