// The views, one entry each: what loads it, what it is called, and where the sidebar leads to it. The window
// shows whichever `View` is current; a new view is its kind in `View` and its entry here.
import Settings from "@lucide/svelte/icons/settings";
import type { Component } from "svelte";
import type { App } from "~/state/app.svelte";
import type { CommandId } from "~/state/keys/table";
import type { View } from "~/state/view.svelte";
import AttentionView from "./attention/AttentionView.svelte";
import HomeView from "./home/HomeView.svelte";

type Kind = View["kind"];
/** What a view is given: what was asked for, such as the id of a session. */
type Given<K extends Kind> = Extract<View, { kind: K }>;
type ViewComponent<K extends Kind> = Component<Omit<Given<K>, "kind">>;

interface Entry<K extends Kind> {
  /** The component itself where the first paint needs it, else what fetches it. */
  load: ViewComponent<K> | { later: () => Promise<{ default: ViewComponent<K> }> };
  /** Whether what it would show is there; default yes. The home view stands in. */
  exists?: (given: Given<K>, app: App) => boolean;
  /** What makes it another page, which begins anew, instead of the same one showing something else. */
  page?: (given: Given<K>) => string;
  sidebar?: Place;
}

/** How the sidebar leads to a view: an entry above the projects, or a button at its foot. */
export type Place = {
  title: string;
  /** Whose keys it tells. */
  command?: CommandId;
  view: View;
} & (
  | { at: "top"; /** What waits there. */ count?: (app: App) => number }
  | { at: "foot"; icon: Component<{ size?: number }> }
);

export const VIEWS: { readonly [K in Kind]: Entry<K> } = {
  home: { load: HomeView },
  attention: {
    load: AttentionView,
    sidebar: {
      at: "top",
      title: "Needs you",
      command: "nextNeedy",
      count: (app) => app.fleet.needy.length,
      view: { kind: "attention" },
    },
  },
  session: {
    load: { later: () => import("./session/SessionView.svelte") },
    exists: ({ id }, app) => !app.fleet.loaded || app.fleet.session(id) !== undefined,
    page: ({ id }) => id,
  },
  settings: {
    load: { later: () => import("./settings/SettingsView.svelte") },
    sidebar: {
      at: "foot",
      title: "Settings",
      icon: Settings,
      command: "settings",
      view: { kind: "settings", page: "general" },
    },
  },
  cost: { load: { later: () => import("./cost/CostView.svelte") } },
  compare: { load: { later: () => import("./compare/CompareView.svelte") } },
};
