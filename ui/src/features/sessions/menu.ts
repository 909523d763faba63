// The menu of a session: the available actions, from the table of actions.
import PanelRight from "@lucide/svelte/icons/panel-right";
import SquareArrowOutUpRight from "@lucide/svelte/icons/square-arrow-out-up-right";
import type { MenuAction, MenuEntry } from "~/kit/menu";
import type { App } from "~/state/app.svelte";
import { format, parse } from "~/state/keys/chord";
import type { CommandId } from "~/state/keys/table";
import type { SessionSummary } from "~/wire/types";
import { perform, actionOf, isCommand, labelOf, canPerform, type ActionId } from "./actions";
import { words } from "./words";

/** The groups below the name: start and continue, other ways to continue, copy, end. */
const GROUPS: readonly (readonly ActionId[])[] = [
  [
    "merge",
    "review",
    "check",
    "cancelMerge",
    "resume",
    "goOn",
    "pause",
    "snooze",
    "retrySetup",
    "startAnyway",
    "newShell",
    "newWorker",
  ],
  ["compare", "createPull", "restart", "fork", "handOver", "reactionHistory", "archive"],
  ["openInEditor", "copyBranch", "copyPath"],
  ["stop", "kill", "killWorkers", "removeEndedWorkers", "restoreWork", "removeWorkspace", "forget"],
];

/** Where a menu belongs to: a row of the sidebar, a card of the board, or the header of the session's view. */
type From = "row" | "card" | "header";

/** Returns a key as menus show it: letters as they are printed on keyboards. */
const shownKey = (key: string | undefined) => (key?.length === 1 ? key.toUpperCase() : key);

/** Returns the keys of a command if they would act on this session. */
function keysOf(app: App, { id }: SessionSummary, command: CommandId): string | undefined {
  return app.view.sessionId === id ? app.commands.keys(command) : undefined;
}

function entry(app: App, session: SessionSummary, id: ActionId, from: From): MenuAction {
  const { asks, icon, danger, onCard } = actionOf(id);
  const label = labelOf(app, session, id);
  return {
    label: asks ? `${label}…` : label,
    icon,
    ...(danger ? { danger } : {}),
    keys: from === "card" ? shownKey(onCard) : isCommand(id) ? keysOf(app, session, id) : undefined,
    run: () => perform(app, session, id),
  };
}

/** Rows and cards take this key while they have the focus. */
const keyOfBeside = (app: App, from: From) =>
  from === "header"
    ? undefined
    : format(parse("mod+Enter", app.platform.system), app.platform.system);

/** Returns the entries about the window instead of the session. */
function place(
  app: App,
  session: SessionSummary,
  from: From,
  inPlace: (() => void) | undefined,
): MenuAction[] {
  const open = {
    label: words.open,
    icon: SquareArrowOutUpRight,
    keys: from === "card" ? "Enter" : undefined,
    run: () => app.view.open(session.id),
  };
  const details = {
    label: words.details,
    icon: PanelRight,
    keys: keysOf(app, session, "toggleDetails"),
    run: () => app.view.toggleDetails(),
  };
  const asks = entry(app, session, "rename", from);
  const rename = inPlace
    ? { ...asks, label: labelOf(app, session, "rename"), keys: "F2", run: inPlace }
    : asks;
  const beside: MenuAction[] = canPerform(app, session, "openInPane")
    ? [{ ...entry(app, session, "openInPane", from), keys: keyOfBeside(app, from) }]
    : [];
  if (from !== "header") return [open, ...beside, rename, entry(app, session, "pin", from)];
  return app.view.roomy ? [rename] : [rename, details];
}

/** Returns the entries; `renameInPlace` begins to change the title where the menu belongs to, without a dialog. */
export function sessionMenu(
  app: App,
  session: SessionSummary,
  from: From = "row",
  renameInPlace?: () => void,
): MenuEntry[] {
  const groups = GROUPS.map((ids) =>
    ids.filter((id) => canPerform(app, session, id)).map((id) => entry(app, session, id, from)),
  );
  return [place(app, session, from, renameInPlace), ...groups]
    .filter((group) => group.length > 0)
    .flatMap((group, at): MenuEntry[] => (at === 0 ? group : ["separator", ...group]));
}
