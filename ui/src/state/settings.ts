// Changes settings, and reports a failure.
import type { EditSettings } from "~/wire/types";
import type { App } from "./app.svelte";

export function changeSettings(app: App, settings: EditSettings): Promise<boolean> {
  return app.attempt("Could not change the setting", () => app.call("editSettings", settings));
}
