// The registry of views, one entry each: how to load it, its title, and its place in the sidebar. The window
// shows the current `View`; a new view needs a kind in `View` and an entry here.
import ChartGantt from "@lucide/svelte/icons/chart-no-axes-gantt";
import Settings from "@lucide/svelte/icons/settings";
import type { Component } from "svelte";
import type { App } from "~/state/app.svelte";
import type { CommandId } from "~/state/keys/table";
import type { View } from "~/state/view.svelte";
import type { SessionId } from "~/wire/types";
import { needsYou } from "~/features/plans/sums";
import { words as timelineWords } from "~/features/timeline/words";
import AttentionView from "./attention/AttentionView.svelte";
import HomeView from "./home/HomeView.svelte";

type Kind = View["kind"];
/** The arguments of a view, such as the id of a session. */
type Given<K extends Kind> = Extract<View, { kind: K }>;
type ViewComponent<K extends Kind> = Component<Omit<Given<K>, "kind">>;

interface Entry<K extends Kind> {
  /** The component itself if the first paint needs it, else a function that fetches it. */
  load: ViewComponent<K> | { later: () => Promise<{ default: ViewComponent<K> }> };
  /** Whether its subject exists; default yes. Otherwise the home view is shown. */
  exists?: (given: Given<K>, app: App) => boolean;
  /** The key of the page: another key recreates the view, the same key updates it. */
  page?: (given: Given<K>, app: App) => string;
  sidebar?: Place;
}

/** How the sidebar links to a view: an entry above the projects, or a button at the bottom. */
export type Place = {
  title: string;
  /** The command whose keys are shown. */
  command?: CommandId;
  view: View;
  /** A view that belongs to it. */
  also?: Kind;
} & (
  | { at: "top"; /** What waits there. */ count?: (app: App) => number }
  | { at: "foot"; icon: Component<{ size?: number }> }
);

/** Returns how many plans cannot go on without the person. */
function plansNeeding(app: App): number {
  const find = (id: SessionId | null) => app.fleet.session(id);
  return (app.fleet.plans.all ?? []).filter((plan) => needsYou(plan, find)).length;
}

export const VIEWS: { readonly [K in Kind]: Entry<K> } = {
  home: {
    load: HomeView,
    sidebar: { at: "top", title: "Board", command: "board", view: { kind: "home" } },
  },
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
    exists: ({ id }, app) =>
      !app.fleet.loaded || app.fleet.session(id) !== undefined || app.view.split !== null,
    page: ({ id }, app) => (app.view.split === null ? id : "panes"),
  },
  timeline: {
    load: { later: () => import("./timeline/TimelineView.svelte") },
    exists: ({ projectId }, app) =>
      projectId === undefined || !app.fleet.loaded || app.fleet.project(projectId) !== undefined,
    sidebar: {
      at: "foot",
      title: timelineWords.title,
      icon: ChartGantt,
      command: "timeline",
      view: { kind: "timeline" },
    },
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
  mergeQueue: {
    load: { later: () => import("./merge-queue/MergeQueueView.svelte") },
    exists: ({ projectId }, app) => !app.fleet.loaded || app.fleet.project(projectId) !== undefined,
    page: ({ projectId }) => projectId,
  },
  fix: {
    load: { later: () => import("./fix/FixView.svelte") },
    exists: ({ projectId }, app) => !app.fleet.loaded || app.fleet.project(projectId) !== undefined,
    page: ({ projectId }) => projectId,
  },
  plans: {
    load: { later: () => import("./plans/PlansView.svelte") },
    page: ({ projectId }) => projectId ?? "",
    sidebar: {
      at: "top",
      title: "Plans",
      command: "plans",
      count: plansNeeding,
      view: { kind: "plans" },
      also: "plan",
    },
  },
  plan: {
    load: { later: () => import("./plans/PlanView.svelte") },
    page: ({ id }) => id,
  },
  compare: { load: { later: () => import("./compare/CompareView.svelte") } },
};
