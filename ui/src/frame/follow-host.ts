// Handles requests from the host: shows the session of a clicked notification, handles drops, asks before
// quitting.
import type { HostAsk, Point, System } from "~/platform/types";
import type { App } from "~/state/app.svelte";
import type { Project } from "~/wire/types";
import { messages } from "./messages";

function answer(app: App, ask: HostAsk) {
  switch (ask.type) {
    case "openSession":
      app.dialogs.close();
      return app.view.open(ask.id);
    case "addFolder":
      return app.dialogs.openNext({ kind: "addProject", path: ask.path });
    case "newSession":
      app.commands.run("newSession");
      return;
    case "quit":
      return app.dialogs.open({ kind: "quit" });
  }
}

/** Quotes a path so that a shell reads it as one word. */
export function quoted(path: string, system: System): string {
  if (/^[\w@%+=:,./~-]+$/.test(path)) return path;
  return system === "windows" ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Returns the element at this point that takes text: a terminal or a composer of the session in view. */
function taker({ x, y }: Point): Element | null {
  const at = document.elementFromPoint(x, y);
  return at?.closest('[data-region="terminal"], [data-region="composer"]') ?? null;
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
 * Inserts dropped paths into a terminal or a composer, or takes one as the tasks of a new plan; elsewhere offers a folder as a
 * project.
 */
function drop(app: App, paths: readonly string[], at: Point) {
  const into = taker(at);
  const text = paths.map((path) => quoted(path, app.platform.system)).join(" ");
  if (into && text !== "" && app.insert?.(into, `${text} `) === true) return;
  const [path] = paths;
  if (path === undefined) return;
  if (app.dialogs.current?.kind === "newPlan") return dropOnPlan(app, path);
  app.dialogs.open({ kind: "addProject", path });
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
        dropping(at !== null && taker(at) === null && app.dialogs.current?.kind !== "newPlan"),
      drop: (paths, at) => drop(app, paths, at),
    }),
  ];
  return () => undo.forEach((one) => one?.());
}
