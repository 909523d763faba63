// The menu of a session: only what can be done with it now.
import Archive from "@lucide/svelte/icons/archive";
import ArrowRightLeft from "@lucide/svelte/icons/arrow-right-left";
import Columns2 from "@lucide/svelte/icons/columns-2";
import Copy from "@lucide/svelte/icons/copy";
import ArchiveRestore from "@lucide/svelte/icons/archive-restore";
import CirclePause from "@lucide/svelte/icons/circle-pause";
import CirclePlay from "@lucide/svelte/icons/circle-play";
import CircleStop from "@lucide/svelte/icons/circle-stop";
import FolderX from "@lucide/svelte/icons/folder-x";
import GitFork from "@lucide/svelte/icons/git-fork";
import ListX from "@lucide/svelte/icons/list-x";
import OctagonX from "@lucide/svelte/icons/octagon-x";
import PanelRight from "@lucide/svelte/icons/panel-right";
import Pencil from "@lucide/svelte/icons/pencil";
import Plus from "@lucide/svelte/icons/plus";
import RotateCw from "@lucide/svelte/icons/rotate-cw";
import SquareArrowOutUpRight from "@lucide/svelte/icons/square-arrow-out-up-right";
import SquareTerminal from "@lucide/svelte/icons/square-terminal";
import type { App } from "~/state/app.svelte";
import type { CommandId } from "~/state/keys/table";
import type { MenuAction, MenuEntry } from "~/kit/menu";
import { comparable, compare } from "~/state/comparison";
import { archive } from "~/features/going-on/actions";
import { words as goingOn } from "~/features/going-on/words";
import { endedIn } from "~/state/sessions/ended";
import type { Session } from "~/wire/types";
import { canOpen, open as openShell } from "~/features/shells/actions";
import { words as shells } from "~/features/shells/words";
import { can, continueSetup, copy, forget, goOn, pause, resume, stop, waysOn } from "./actions";
import { isLive } from "~/state/sessions/status";
import { killName, words } from "./words";

/** Joins groups with lines between them, leaving out what cannot be done. */
function join(groups: (MenuAction | false)[][]): MenuEntry[] {
  const shown = groups.map((g) => g.filter((e) => e !== false)).filter((g) => g.length > 0);
  return shown.flatMap((g, index): MenuEntry[] => (index === 0 ? g : ["separator", ...g]));
}

/** The keys of a command, where they would do it to this session. */
function keysOf(app: App, s: Session, command: CommandId): string | undefined {
  return app.view.sessionId === s.id ? app.commands.keys(command) : undefined;
}

function begin(app: App, s: Session): (MenuAction | false)[] {
  return [
    can.resume(s) && {
      label: words.resume,
      icon: CirclePlay,
      keys: keysOf(app, s, "resume"),
      run: () => void resume(app, s.id),
    },
    can.goOn(s) && {
      label: s.paused ? words.pause.goOn : words.limit.now,
      icon: CirclePlay,
      keys: keysOf(app, s, "goOn"),
      run: () => void goOn(app, s.id, "now"),
    },
    can.pause(s) && {
      label: words.pause.pause,
      icon: CirclePause,
      keys: keysOf(app, s, "pause"),
      run: () => void pause(app, s.id),
    },
    can.continueSetup(s) && {
      label: words.retry,
      icon: RotateCw,
      keys: keysOf(app, s, "retrySetup"),
      run: () => void continueSetup(app, s.id, false),
    },
    can.continueSetup(s) && {
      label: words.startAnyway,
      icon: CirclePlay,
      keys: keysOf(app, s, "startAnyway"),
      run: () => void continueSetup(app, s.id, true),
    },
    canOpen(s) && {
      label: shells.open,
      icon: SquareTerminal,
      keys: keysOf(app, s, "newShell"),
      run: () => void openShell(app, s),
    },
    can.spawnWorker(s) && {
      label: words.newWorker,
      icon: Plus,
      keys: keysOf(app, s, "newWorker"),
      run: () => app.dialogs.open({ kind: "newSession", projectId: s.projectId, parent: s.id }),
    },
  ];
}

/** What goes on with the work in another way. */
function elsewhere(app: App, s: Session): (MenuAction | false)[] {
  const ways = waysOn(app, s);
  const rivals = comparable(app, s);
  const ask = (kind: "restart" | "fork" | "handOver") => () =>
    app.dialogs.open({ kind, sessionId: s.id });
  return [
    rivals.length > 1 && {
      label: words.compare(rivals.length),
      icon: Columns2,
      keys: keysOf(app, s, "compare"),
      run: () => compare(app, rivals),
    },
    ways.restart && {
      label: goingOn.restart,
      icon: RotateCw,
      keys: keysOf(app, s, "restart"),
      run: ask("restart"),
    },
    ways.fork && {
      label: goingOn.fork,
      icon: GitFork,
      keys: keysOf(app, s, "fork"),
      run: ask("fork"),
    },
    ways.handOver && {
      label: goingOn.handOver,
      icon: ArrowRightLeft,
      keys: keysOf(app, s, "handOver"),
      run: ask("handOver"),
    },
    ways.archive && {
      label: goingOn.archive,
      icon: Archive,
      keys: keysOf(app, s, "archive"),
      run: () => void archive(app, s),
    },
  ];
}

function end(app: App, s: Session): (MenuAction | false)[] {
  const ask = (kind: "kill" | "killWorkers" | "remove" | "restore") => () =>
    app.dialogs.open({ kind, sessionId: s.id });
  return [
    can.stop(s) && {
      label: words.stop,
      icon: CircleStop,
      keys: keysOf(app, s, "stop"),
      run: () => void stop(app, s.id),
    },
    can.kill(s) && {
      label: `${killName(s.role)}…`,
      icon: OctagonX,
      danger: true,
      keys: keysOf(app, s, "kill"),
      run: ask("kill"),
    },
    app.fleet.workersOf(s.id).some(isLive) && {
      label: words.killWorkers,
      icon: OctagonX,
      danger: true,
      keys: keysOf(app, s, "killWorkers"),
      run: ask("killWorkers"),
    },
    endedIn(app.fleet.sessions, { sessionId: s.id }).length > 0 && {
      label: words.removeEnded,
      icon: ListX,
      run: () => app.dialogs.open({ kind: "removeEnded", scope: { sessionId: s.id } }),
    },
    can.restore(s) && {
      label: words.restore,
      icon: ArchiveRestore,
      keys: keysOf(app, s, "restoreWork"),
      run: ask("restore"),
    },
    can.remove(s) && {
      label: words.remove,
      icon: FolderX,
      danger: true,
      keys: keysOf(app, s, "removeWorkspace"),
      run: ask("remove"),
    },
    can.forget(s) && {
      label: words.forget,
      icon: ListX,
      keys: keysOf(app, s, "forget"),
      run: () => void forget(app, s),
    },
  ];
}

export function sessionMenu(app: App, s: Session, from: "row" | "header" = "row"): MenuEntry[] {
  const { branch, workspacePath } = s;
  return join([
    [
      from === "row" && {
        label: words.open,
        icon: SquareArrowOutUpRight,
        run: () => app.view.open(s.id),
      },
      {
        label: words.rename,
        icon: Pencil,
        keys: keysOf(app, s, "rename"),
        run: () => app.dialogs.open({ kind: "rename", sessionId: s.id }),
      },
      from === "header" &&
        !app.view.roomy && {
          label: words.details,
          icon: PanelRight,
          keys: keysOf(app, s, "toggleDetails"),
          run: () => app.view.toggleDetails(),
        },
    ],
    begin(app, s),
    elsewhere(app, s),
    [
      branch !== null && {
        label: words.copyBranch,
        icon: Copy,
        keys: keysOf(app, s, "copyBranch"),
        run: () => void copy(app, branch),
      },
      workspacePath !== null && {
        label: words.copyPath,
        icon: Copy,
        keys: keysOf(app, s, "copyPath"),
        run: () => void copy(app, workspacePath),
      },
    ],
    end(app, s),
  ]);
}
