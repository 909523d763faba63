// Changes settings, and reports a failure. What is on show follows at once, so that a key that is pressed again begins from there.
import type { EditSettings } from "~/wire/types";
import type { App } from "./app.svelte";

export async function changeSettings(app: App, settings: EditSettings): Promise<boolean> {
  const { fleet } = app;
  const { terminalFont, ...others } = settings;
  const same = { ...others, keys: fleet.settings?.keys ?? {} };
  const font = terminalFont === undefined ? {} : { terminalFont: terminalFont || null };
  if (fleet.settings) fleet.settings = { ...fleet.settings, ...same, ...font };
  const done = await app.attempt("Could not change the setting", () =>
    app.call("editSettings", settings),
  );
  if (!done) fleet.invalidate(["settings"]);
  return done;
}
