// The menu of a project.
import Archive from "@lucide/svelte/icons/archive";
import Brush from "@lucide/svelte/icons/brush-cleaning";
import ChartGantt from "@lucide/svelte/icons/chart-no-axes-gantt";
import Copy from "@lucide/svelte/icons/copy";
import FolderInput from "@lucide/svelte/icons/folder-input";
import FolderMinus from "@lucide/svelte/icons/folder-minus";
import ListOrdered from "@lucide/svelte/icons/list-ordered";
import ListTree from "@lucide/svelte/icons/list-tree";
import ListX from "@lucide/svelte/icons/list-x";
import Plus from "@lucide/svelte/icons/plus";
import ShieldCheck from "@lucide/svelte/icons/shield-check";
import ShieldOff from "@lucide/svelte/icons/shield-off";
import Wrench from "@lucide/svelte/icons/wrench";
import type { App } from "~/state/app.svelte";
import { words as fixWords } from "~/features/fix/words";
import { words as goingOn } from "~/features/going-on/words";
import { words as queueWords } from "~/features/merge-queue/words";
import { words as planWords } from "~/features/plans/words";
import { cleanup } from "~/features/removal/cleanup";
import { endedIn } from "~/state/sessions/ended";
import { words as timelineWords } from "~/features/timeline/words";
import { copy } from "~/features/sessions/calls";
import type { MenuEntry } from "~/kit/menu";
import type { Project } from "~/wire/types";
import { words } from "./words";

/** Revokes trust without asking; granting it asks. */
async function untrust(app: App, { id, name }: Project) {
  const done = await app.attempt(words.trustFailed, () =>
    app.call("editProject", { id, trust: false }),
  );
  if (done) app.toasts.show({ title: words.untrusted(name), tone: "idle" });
}

export function projectMenu(app: App, project: Project): MenuEntry[] {
  return [
    {
      label: words.newSession,
      icon: Plus,
      run: () => app.dialogs.open({ kind: "newSession", projectId: project.id }),
    },
    {
      label: queueWords.menu,
      icon: ListOrdered,
      run: () => app.view.show({ kind: "mergeQueue", projectId: project.id }),
    },
    {
      label: planWords.menu,
      icon: ListTree,
      run: () => app.view.show({ kind: "plans", projectId: project.id }),
    },
    {
      label: timelineWords.menu,
      icon: ChartGantt,
      run: () => app.view.show({ kind: "timeline", projectId: project.id }),
    },
    ...(project.checks.commands.length > 0
      ? [
          {
            label: fixWords.menu,
            icon: Wrench,
            run: () => app.view.show({ kind: "fix", projectId: project.id }),
          },
        ]
      : []),
    "separator",
    {
      label: project.trusted ? words.trustOff : words.trustOn,
      icon: project.trusted ? ShieldOff : ShieldCheck,
      run: () =>
        project.trusted
          ? void untrust(app, project)
          : app.dialogs.open({ kind: "trust", projectId: project.id }),
    },
    { label: words.copyPath, icon: Copy, run: () => void copy(app, project.path) },
    {
      label: words.move,
      icon: FolderInput,
      run: () => app.dialogs.open({ kind: "moveProject", projectId: project.id }),
    },
    "separator",
    {
      label: cleanup.menu,
      icon: Brush,
      run: () => app.dialogs.open({ kind: "cleanUp", projectId: project.id }),
    },
    ...(endedIn(app.fleet.sessions, { projectId: project.id }).length > 0
      ? [
          {
            label: words.removeEnded,
            icon: ListX,
            run: () => app.dialogs.open({ kind: "removeEnded", scope: { projectId: project.id } }),
          },
        ]
      : []),
    {
      label: goingOn.archiveMenu,
      icon: Archive,
      run: () => app.dialogs.open({ kind: "archive", projectId: project.id }),
    },
    {
      label: words.remove,
      icon: FolderMinus,
      danger: true,
      run: () => app.dialogs.open({ kind: "removeProject", projectId: project.id }),
    },
  ];
}
