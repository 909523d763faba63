// Does what the host asks: shows the session of a clicked notification, takes dropped folders,
// asks before quitting.
import type { HostAsk } from "~/platform/types";
import type { App } from "./app.svelte";

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

/** Follows until the returned function is called. `dropping` tells that a folder is held above. */
export function follow(app: App, dropping: (over: boolean) => void): () => void {
  const { platform } = app;
  const undo = [
    platform.onAsk?.((ask) => answer(app, ask)),
    platform.onFolderDrop?.({
      hover: dropping,
      drop: ([path]) => path !== undefined && app.dialogs.open({ kind: "addProject", path }),
    }),
  ];
  return () => undo.forEach((one) => one?.());
}
