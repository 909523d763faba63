// Asks before all sessions are stopped. Programs in shells alone are stopped at once: nobody works there.
import type { App } from "~/state/app.svelte";
import { isLive } from "~/state/sessions/status";
import { words } from "./words";

export function stopAll(app: App): void {
  if (app.fleet.sessions.some(isLive)) app.dialogs.open({ kind: "stopAll" });
  else void app.attempt(words.stopAllFailed, () => app.call("stopSessions", { all: true }));
}
