// Mounts the interface on the page, for any host: the real ones and that of ui/dev.
import { mount } from "svelte";
import AppView from "~/frame/App.svelte";
import { COMMANDS } from "~/frame/commands";
import { App } from "~/state/app.svelte";
import type { Platform } from "~/platform/types";
import { interfaceFont } from "~/theme/fonts";
import { recallTextSize } from "~/theme/text-size";

export function start(platform: Platform): App {
  recallTextSize();
  const app = new App(platform, COMMANDS);
  const target = document.getElementById("app");
  void Promise.all([interfaceFont(), app.kept.takeUp()]).then(() => {
    app.view.recall();
    app.sidebar.recall();
    if (target) mount(AppView, { target, props: { app } });
  });
  void app.fleet.start();
  return app;
}
