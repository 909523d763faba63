// Changes settings, and says when that failed.
import type { App } from "~/features/app/app.svelte";
import type { EditSettings } from "~/wire/types";
import { words } from "./words";

export function change(app: App, settings: EditSettings): Promise<boolean> {
  return app.attempt(words.failed, () => app.call("editSettings", settings));
}
