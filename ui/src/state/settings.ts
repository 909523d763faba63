// Changes settings, and says when that failed.
import type { EditSettings } from "~/wire/types";
import type { App } from "./app.svelte";

export function changeSettings(app: App, settings: EditSettings): Promise<boolean> {
  return app.attempt("Could not change the setting", () => app.call("editSettings", settings));
}
