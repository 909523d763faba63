// Handles requests from the host: shows the session or the plan of a clicked notification, handles drops, asks before
// quitting.
import { insert, TAKES_PATHS } from "~/features/files/field";
import { quoted } from "~/platform/system";
import { holdsFiles } from "~/platform/transfer";
import type { HostAsk, Point } from "~/platform/types";
import type { App } from "~/state/app.svelte";
import type { Project } from "~/wire/types";
import { messages } from "./messages";

function answer(app: App, ask: HostAsk) {
  switch (ask.type) {
    case "openSession":
      app.dialogs.close();
      return app.view.open(ask.id);
    case "openPlan":
      app.dialogs.close();
      return app.view.show({ kind: "plan", id: ask.id });
    case "addFolder":
      return app.dialogs.openNext({ kind: "addProject", path: ask.path });
    case "newSession":
      app.commands.run("newSession");
      return;
    case "quit":
      return app.dialogs.open({ kind: "quit" });
  }
}

/** Returns the element at this point that takes text: a terminal or a composer of the session in view. */
function taker({ x, y }: Point): Element | null {
  const at = document.elementFromPoint(x, y);
  return at?.closest('[data-region="terminal"], [data-region="composer"]') ?? null;
}

/** Returns the field of a dialog or a comment at this point that takes paths. */
function fieldAt({ x, y }: Point): HTMLTextAreaElement | null {
  const at = document.elementFromPoint(x, y);
  return at instanceof HTMLTextAreaElement && at.hasAttribute(TAKES_PATHS) ? at : null;
}

/** Returns the project that a file belongs to, with the file's path in it; null for none. */
export function placeOf(path: string, projects: readonly Pick<Project, "id" | "path">[]) {
  const plain = (text: string) => text.replaceAll("\\", "/");
  const found = projects.find((project) => plain(path).startsWith(`${plain(project.path)}/`));
  return found ? { projectId: found.id, path: plain(path).slice(found.path.length + 1) } : null;
}

/** Takes a file of a project as the tasks of the new plan. */
function dropOnPlan(app: App, path: string) {
  const place = placeOf(path, app.fleet.projects);
  if (place) app.dialogs.open({ kind: "newPlan", ...place });
  else app.toasts.show({ title: messages.notInProject, text: messages.notInProjectText });
}

/**
 * Inserts dropped paths into a terminal, a composer or another field for a prompt, or takes one as the tasks of a new
 * plan; elsewhere offers a folder as a project.
 */
function drop(app: App, paths: readonly string[], at: Point) {
  const into = taker(at);
  const text = paths.map((path) => quoted(path, app.platform.system)).join(" ");
  if (into && text !== "" && app.insert?.(into, `${text} `) === true) return;
  const [path] = paths;
  if (path === undefined) return;
  if (app.dialogs.current?.kind === "newPlan") return dropOnPlan(app, path);
  const field = fieldAt(at);
  if (field && !field.readOnly) {
    field.focus();
    return insert(field, text);
  }
  app.dialogs.open({ kind: "addProject", path });
}

/** Ignores files that are dropped where nothing takes them: a browser would show them in place of the page. */
function keepPage(): () => void {
  const ignore = (event: DragEvent) => {
    if (event.defaultPrevented || !holdsFiles(event.dataTransfer)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "none";
  };
  window.addEventListener("dragover", ignore);
  window.addEventListener("drop", ignore);
  return () => {
    window.removeEventListener("dragover", ignore);
    window.removeEventListener("drop", ignore);
  };
}

/**
 * Handles requests until the returned function is called. `dropping` is called with whether a folder is held
 * over a place that would add it.
 */
export function follow(app: App, dropping: (over: boolean) => void): () => void {
  const { platform } = app;
  const undo = [
    platform.onAsk?.((ask) => answer(app, ask)),
    platform.onFolderDrop?.({
      hover: (at) =>
        dropping(
          at !== null &&
            taker(at) === null &&
            fieldAt(at) === null &&
            app.dialogs.current?.kind !== "newPlan",
        ),
      drop: (paths, at) => drop(app, paths, at),
    }) ?? keepPage(),
  ];
  return () => undo.forEach((one) => one?.());
}
