// The one table of actions on a session: their names, when they are available, what they do, and their keys.
// The menus, the palette, the key sheet and the buttons of views are rendered from it.
import AlarmClock from "@lucide/svelte/icons/alarm-clock";
import Archive from "@lucide/svelte/icons/archive";
import ArchiveRestore from "@lucide/svelte/icons/archive-restore";
import ArrowRightLeft from "@lucide/svelte/icons/arrow-right-left";
import CirclePause from "@lucide/svelte/icons/circle-pause";
import CirclePlay from "@lucide/svelte/icons/circle-play";
import CircleStop from "@lucide/svelte/icons/circle-stop";
import CircleX from "@lucide/svelte/icons/circle-x";
import ClipboardCheck from "@lucide/svelte/icons/clipboard-check";
import Columns2 from "@lucide/svelte/icons/columns-2";
import Copy from "@lucide/svelte/icons/copy";
import Eraser from "@lucide/svelte/icons/eraser";
import FolderX from "@lucide/svelte/icons/folder-x";
import Grid2x2Plus from "@lucide/svelte/icons/grid-2x2-plus";
import GitFork from "@lucide/svelte/icons/git-fork";
import GitMerge from "@lucide/svelte/icons/git-merge";
import GitPullRequestArrow from "@lucide/svelte/icons/git-pull-request-arrow";
import History from "@lucide/svelte/icons/history";
import ListChecks from "@lucide/svelte/icons/list-checks";
import ListX from "@lucide/svelte/icons/list-x";
import OctagonX from "@lucide/svelte/icons/octagon-x";
import Pencil from "@lucide/svelte/icons/pencil";
import Pin from "@lucide/svelte/icons/pin";
import Plus from "@lucide/svelte/icons/plus";
import RotateCw from "@lucide/svelte/icons/rotate-cw";
import FilePen from "@lucide/svelte/icons/file-pen";
import SquareTerminal from "@lucide/svelte/icons/square-terminal";
import SquareX from "@lucide/svelte/icons/square-x";
import type { MenuAction } from "~/kit/menu";
import * as checks from "~/features/checks/actions";
import { words as checkWords } from "~/features/checks/words";
import { openInEditor } from "~/features/changes/editor";
import { archive } from "~/features/going-on/actions";
import { words as goingOn } from "~/features/going-on/words";
import * as shells from "~/features/shells/actions";
import { words as shellWords } from "~/features/shells/words";
import { openBeside } from "~/features/panes/actions";
import { words as paneWords } from "~/features/panes/words";
import type { App } from "~/state/app.svelte";
import { comparable, compare } from "~/state/comparison";
import type { CommandId, CommandRow, Keys } from "~/state/keys/table";
import { endedIn } from "~/state/sessions/ended";
import { isEnded, isLive } from "~/state/sessions/status";
import type { SessionPull, SessionSummary } from "~/wire/types";
import * as calls from "./calls";
import { endSnooze, snooze } from "./snooze";
import { killName, words } from "./words";

export interface SessionAction {
  /** Its name in the palette and the key sheet, where the session is not obvious from the context. */
  title?: string;
  /** The text of its menu entry and its buttons. */
  label: string | ((session: SessionSummary, app: App) => string);
  /** Whether the palette says the label, too, since it is the more exact one. */
  precise?: true;
  /** Whether a dialog opens first; menus show that with an ellipsis. */
  asks?: true;
  icon: NonNullable<MenuAction["icon"]>;
  danger?: true;
  keys?: Keys;
  /** The key that runs it on a card of the board that has the focus. */
  onCard?: string;
  /** Whether the action is available; default always. */
  when?: (session: SessionSummary, app: App) => boolean;
  run: (session: SessionSummary, app: App) => void;
}

/** Whether its directory is one that Downbeat made and may remove. */
export function hasWorktree(session: SessionSummary): boolean {
  return session.workspace === "worktree" && session.workspacePath !== null;
}

/** Whether there is an agent that reads what it is sent. */
function takesMessages(session: SessionSummary): boolean {
  return isLive(session) && session.agent !== "shell" && !session.once;
}

/** Whether its agent runs, past the preparation. */
function isUp(session: SessionSummary): boolean {
  return isLive(session) && session.status !== "spawning" && session.status !== "setup_failed";
}

/** Whether its directory has work that another session or agent can continue. */
function canGoOnElsewhere(session: SessionSummary): boolean {
  const { workspacePath, agent } = session;
  return workspacePath !== null && agent !== "shell" && (isUp(session) || isEnded(session));
}

/** Returns the pull request that would be merged: the newest open one. */
function openPull(pulls: readonly SessionPull[]): SessionPull | undefined {
  return pulls.findLast(({ state }) => state === "open");
}

/** Returns a function that opens the dialog that asks for the remaining input. */
const ask =
  (
    kind:
      | "rename"
      | "kill"
      | "killWorkers"
      | "remove"
      | "restore"
      | "restart"
      | "fork"
      | "handOver"
      | "createPull"
      | "reactionHistory",
  ) =>
  ({ id }: SessionSummary, app: App) =>
    app.dialogs.open({ kind, sessionId: id });

/** For how long a key snoozes what a session needs. */
const HOUR = 3_600_000;

/** The actions that are also commands and so can have keys, in display order. */
const COMMANDS = {
  newWorker: {
    title: "New worker under this session",
    label: "New worker",
    asks: true,
    icon: Plus,
    when: (s) => s.role === "conductor" && isLive(s),
    run: (s, app) => app.dialogs.open({ kind: "newSession", projectId: s.projectId, parent: s.id }),
  },
  compare: {
    title: "Compare sessions side by side",
    label: (s, app) => `Compare ${comparable(app, s).length} side by side`,
    icon: Columns2,
    keys: { mac: "mod+Alt+C", pc: "Alt+Shift+C" },
    when: (s, app) => comparable(app, s).length > 1,
    run: (s, app) => compare(app, comparable(app, s)),
  },
  review: {
    title: "Review the changes of the session",
    label: "Review changes",
    icon: ClipboardCheck,
    onCard: "v",
    keys: { mac: "mod+Alt+G", pc: "Alt+Shift+G" },
    when: (s) => s.agent !== "shell" && hasWorktree(s) && (s.changes?.files ?? 0) > 0,
    run: (s, app) => app.view.open(s.id, "changes"),
  },
  newShell: {
    title: "New shell in this worktree",
    label: shellWords.open,
    icon: SquareTerminal,
    keys: { mac: "mod+Alt+S", pc: "Alt+Shift+S" },
    when: shells.canOpen,
    run: (s, app) => void shells.open(app, s),
  },
  closeShell: {
    title: "Close this shell",
    label: shellWords.closeThis,
    icon: SquareX,
    when: (s, app) => shells.shownShell(app, s) !== null,
    run: (s, app) => {
      const shell = shells.shownShell(app, s);
      if (shell) void shells.close(app, s, shell);
    },
  },
  openInPane: {
    title: "Open in a new pane",
    label: paneWords.beside,
    icon: Grid2x2Plus,
    when: (s, app) => !app.view.narrow && !app.view.isShown(s.id),
    run: (s, app) => openBeside(app, s.id),
  },
  rename: {
    title: "Rename session",
    label: "Rename",
    asks: true,
    icon: Pencil,
    onCard: "r",
    keys: "F2",
    run: ask("rename"),
  },
  resume: {
    title: "Resume session",
    label: "Resume",
    icon: CirclePlay,
    onCard: "u",
    keys: "mod+Shift+R",
    when: (s) => s.canResume && isEnded(s),
    run: (s, app) => void calls.resume(app, s.id),
  },
  pause: {
    title: "Pause session",
    label: "Pause",
    icon: CirclePause,
    onCard: "p",
    when: (s) => takesMessages(s) && s.paused === null,
    run: (s, app) => void calls.pause(app, s.id),
  },
  goOn: {
    title: "Continue a paused or limited session",
    label: (s) => (s.paused ? words.pause.goOn : s.limit ? words.limit.now : words.noProgress.goOn),
    icon: CirclePlay,
    onCard: "g",
    when: (s) =>
      s.paused !== null ||
      (s.limit !== null && !s.limit.goesOn) ||
      s.attention?.kind === "no_progress",
    run: (s, app) => void calls.goOn(app, s.id, "now"),
  },
  snooze: {
    title: "Snooze session",
    label: (s) => (s.snoozedUntil === null ? words.snooze.forHour : words.snooze.endNow),
    precise: true,
    icon: AlarmClock,
    onCard: "z",
    when: (s) => s.attention !== null || s.snoozedUntil !== null,
    run: (s, app) =>
      void (s.snoozedUntil === null ? snooze(app, s, Date.now() + HOUR) : endSnooze(app, s)),
  },
  restart: {
    title: "Restart agent…",
    label: "Restart agent",
    asks: true,
    icon: RotateCw,
    keys: { mac: "mod+Alt+R", pc: "Alt+Shift+R" },
    when: (s, app) => isUp(s) && app.fleet.agent(s.agent)?.canResume === true,
    run: ask("restart"),
  },
  fork: {
    title: "Fork session…",
    label: "Fork",
    asks: true,
    icon: GitFork,
    onCard: "f",
    keys: { mac: "mod+Shift+D", pc: "Alt+Shift+D" },
    when: (s, app) => canGoOnElsewhere(s) && app.fleet.agent(s.agent)?.canFork === true,
    run: ask("fork"),
  },
  createPull: {
    title: "Open pull request…",
    label: "Open pull request",
    asks: true,
    icon: GitPullRequestArrow,
    onCard: "o",
    when: (s, app) =>
      hasWorktree(s) &&
      s.branch !== null &&
      app.fleet.project(s.projectId)?.forge != null &&
      s.pulls.every(({ state }) => state !== "open"),
    run: ask("createPull"),
  },
  reactionHistory: {
    title: "Reaction history…",
    label: "Reaction history",
    asks: true,
    icon: History,
    when: (s) => s.agent !== "shell" && s.status !== "queued",
    run: ask("reactionHistory"),
  },
  handOver: {
    title: "Switch agent…",
    label: "Switch agent",
    asks: true,
    icon: ArrowRightLeft,
    keys: { mac: "mod+Shift+H", pc: "Alt+Shift+H" },
    when: canGoOnElsewhere,
    run: ask("handOver"),
  },
  retrySetup: {
    title: "Retry set-up",
    label: "Retry set-up",
    icon: RotateCw,
    when: (s) => s.status === "setup_failed",
    run: (s, app) => void calls.continueSetup(app, s.id, false),
  },
  startAnyway: {
    title: "Start anyway",
    label: "Start anyway",
    icon: CirclePlay,
    when: (s) => s.status === "setup_failed",
    run: (s, app) => void calls.continueSetup(app, s.id, true),
  },
  stop: {
    title: "Stop session",
    label: "Stop",
    icon: CircleStop,
    onCard: "s",
    when: isLive,
    run: (s, app) => void calls.stop(app, s.id),
  },
  kill: {
    title: "Kill worker or session",
    label: (s) => killName(s.role),
    precise: true,
    asks: true,
    icon: OctagonX,
    onCard: "Delete",
    danger: true,
    keys: "mod+Shift+Backspace",
    when: (s) => isLive(s) || s.status === "queued",
    run: ask("kill"),
  },
  killWorkers: {
    title: "Kill all workers",
    label: "Kill all workers",
    asks: true,
    icon: OctagonX,
    danger: true,
    when: (s, app) => app.fleet.workersOf(s.id).some(isLive),
    run: ask("killWorkers"),
  },
  removeWorkspace: {
    title: "Remove worktree…",
    label: "Remove worktree",
    asks: true,
    icon: FolderX,
    danger: true,
    when: (s) => hasWorktree(s) && isEnded(s),
    run: ask("remove"),
  },
  restoreWork: {
    title: "Restore saved work…",
    label: "Restore saved work",
    asks: true,
    icon: ArchiveRestore,
    when: (s) => s.hasBackup,
    run: ask("restore"),
  },
  forget: {
    title: "Remove session from list",
    label: "Remove from list",
    icon: ListX,
    when: (s) => isEnded(s) && !hasWorktree(s),
    run: (s, app) => void calls.forget(app, s),
  },
  archive: {
    title: "Archive session",
    label: goingOn.archive,
    icon: Archive,
    onCard: "e",
    keys: { mac: "mod+Alt+E", pc: "Alt+Shift+E" },
    when: isEnded,
    run: (s, app) => void archive(app, s),
  },
  copyBranch: {
    title: "Copy branch name",
    label: "Copy branch name",
    icon: Copy,
    onCard: "b",
    when: (s) => s.branch !== null,
    run: (s, app) => void calls.copy(app, s.branch ?? ""),
  },
  copyPath: {
    title: "Copy workspace path",
    label: "Copy workspace path",
    icon: Copy,
    when: (s) => s.workspacePath !== null,
    run: (s, app) => void calls.copy(app, s.workspacePath ?? ""),
  },
  openInEditor: {
    title: "Open workspace in editor",
    label: "Open in editor",
    icon: FilePen,
    when: (s) => s.workspacePath !== null,
    run: (s, app) => void openInEditor(app, s.id),
  },
} as const satisfies Partial<Record<CommandId, SessionAction & { title: string }>>;

/** The actions without keys, found in the session's menu or next to what they act on. */
const OTHERS = {
  pin: {
    label: (s, app) => (app.sidebar.isPinned(s.id) ? words.unpin : words.pin),
    icon: Pin,
    run: (s, app) => app.sidebar.togglePin(s.id),
  },
  merge: {
    label: ({ pulls }) => {
      const pull = openPull(pulls);
      return pull ? checkWords.mergePull(pull.number, pull.baseBranch) : checkWords.merge;
    },
    icon: GitMerge,
    onCard: "m",
    when: (s) => s.column === "readyToMerge" && s.mergeState !== "underWay",
    run: (s, app) => {
      const pull = openPull(s.pulls);
      void (pull ? checks.mergePull(app, s.id, pull) : checks.merge(app, s));
    },
  },
  check: {
    label: checkWords.run,
    icon: ListChecks,
    onCard: "c",
    when: (s, app) =>
      hasWorktree(s) &&
      !["running", "spawning", "queued"].includes(s.status) &&
      s.checksState !== "running" &&
      s.checksState !== "waiting" &&
      (app.fleet.project(s.projectId)?.checks.commands.length ?? 0) > 0,
    run: (s, app) => void checks.run(app, s.id),
  },
  cancelMerge: {
    label: checkWords.cancelMerge,
    icon: CircleX,
    onCard: "x",
    when: (s) => s.mergeState === "underWay",
    run: (s, app) => void checks.cancelMerge(app, s.id),
  },
  cancel: {
    label: "Cancel",
    icon: CircleX,
    when: (s) => s.status === "queued",
    run: (s, app) => void calls.cancel(app, s.id),
  },
  clearStatus: {
    label: "Clear status",
    icon: Eraser,
    when: (s) => ["running", "waiting", "idle"].includes(s.status),
    run: (s, app) => void calls.clearStatus(app, s.id),
  },
  removeEndedWorkers: {
    label: "Remove ended workers",
    asks: true,
    icon: ListX,
    when: (s, app) => endedIn(app.fleet.sessions, { sessionId: s.id }).length > 0,
    run: (s, app) => app.dialogs.open({ kind: "removeEnded", scope: { sessionId: s.id } }),
  },
} as const satisfies Record<string, SessionAction>;

export type SessionCommand = keyof typeof COMMANDS;
export type ActionId = SessionCommand | keyof typeof OTHERS;

export const SESSION_COMMANDS = Object.keys(COMMANDS) as SessionCommand[];

const ACTIONS: Readonly<Record<ActionId, SessionAction>> = { ...COMMANDS, ...OTHERS };

export function actionOf(id: ActionId): SessionAction {
  return ACTIONS[id];
}

export function isCommand(id: ActionId): id is SessionCommand {
  return id in COMMANDS;
}

/** Returns an action's row in the table of commands. */
export function rowOf(id: SessionCommand): CommandRow {
  const { title, keys } = COMMANDS[id] as SessionAction & { title: string };
  return { title, group: "Session", ...(keys === undefined ? {} : { keys }) };
}

/** Whether the action is available for this session now. */
export function canPerform(app: App, session: SessionSummary, id: ActionId): boolean {
  return ACTIONS[id].when?.(session, app) ?? true;
}

export function labelOf(app: App, session: SessionSummary, id: ActionId): string {
  const { label } = ACTIONS[id];
  return typeof label === "string" ? label : label(session, app);
}

export function perform(app: App, session: SessionSummary, id: ActionId): void {
  ACTIONS[id].run(session, app);
}

/** Returns the available action that this key runs on a card. */
export function onCard(app: App, session: SessionSummary, key: string): ActionId | null {
  const ids = Object.keys(ACTIONS) as ActionId[];
  const found = ids.find((id) => ACTIONS[id].onCard === key && canPerform(app, session, id));
  return found ?? null;
}
