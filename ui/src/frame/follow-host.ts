// Does what the host asks: shows the session of a clicked notification, takes what is dropped,
// asks before quitting.
import type { HostAsk, Point, System } from "~/platform/types";
import type { App } from "~/state/app.svelte";

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

/** A path as a shell reads it as one word. */
export function quoted(path: string, system: System): string {
  if (/^[\w@%+=:,./~-]+$/.test(path)) return path;
  return system === "windows" ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Who takes text there: a terminal or a composer of the session in view. */
function taker({ x, y }: Point): Element | null {
  const at = document.elementFromPoint(x, y);
  return at?.closest('[data-region="terminal"], [data-region="composer"]') ?? null;
}

/** What is dropped on a terminal or a composer is named there; elsewhere a folder becomes a project. */
function drop(app: App, paths: readonly string[], at: Point) {
  const into = taker(at);
  const text = paths.map((path) => quoted(path, app.platform.system)).join(" ");
  if (into && text !== "" && app.insert?.(into, `${text} `) === true) return;
  const [path] = paths;
  if (path !== undefined) app.dialogs.open({ kind: "addProject", path });
}

/** Follows until the returned function is called. `dropping` tells that a folder is held above. */
export function follow(app: App, dropping: (over: boolean) => void): () => void {
  const { platform } = app;
  const undo = [
    platform.onAsk?.((ask) => answer(app, ask)),
    platform.onFolderDrop?.({
      hover: (at) => dropping(at !== null && taker(at) === null),
      drop: (paths, at) => drop(app, paths, at),
    }),
  ];
  return () => undo.forEach((one) => one?.());
}
