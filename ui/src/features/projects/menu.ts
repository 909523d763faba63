// The menu of a project.
import Copy from "@lucide/svelte/icons/copy";
import FolderMinus from "@lucide/svelte/icons/folder-minus";
import Plus from "@lucide/svelte/icons/plus";
import ShieldCheck from "@lucide/svelte/icons/shield-check";
import ShieldOff from "@lucide/svelte/icons/shield-off";
import type { App } from "~/features/app/app.svelte";
import { copy } from "~/features/sessions/actions";
import type { MenuEntry } from "~/kit/menu";
import type { Project } from "~/wire/types";
import { words } from "./words";

export function setTrust(app: App, project: Project, trust: boolean): Promise<boolean> {
  return app.attempt(words.trustFailed, () => app.call("editProject", { id: project.id, trust }));
}

export function projectMenu(app: App, project: Project): MenuEntry[] {
  return [
    {
      label: words.newSession,
      icon: Plus,
      run: () => app.dialogs.open({ kind: "newSession", projectId: project.id }),
    },
    "separator",
    {
      label: project.trusted ? words.trustOff : words.trustOn,
      icon: project.trusted ? ShieldOff : ShieldCheck,
      run: () => void setTrust(app, project, !project.trusted),
    },
    { label: words.copyPath, icon: Copy, run: () => void copy(app, project.path) },
    "separator",
    {
      label: words.remove,
      icon: FolderMinus,
      danger: true,
      run: () => app.dialogs.open({ kind: "removeProject", projectId: project.id }),
    },
  ];
}
