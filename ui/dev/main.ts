// Starts the interface over fixtures: `/dev/?world=60&theme=light&view=session:s3&dialog=…`.
import "~/theme/fonts.css";
import "~/theme/tokens.css";
import "~/theme/base.css";
import type { App } from "~/state/app.svelte";
import type { DialogRequest } from "~/state/dialogs.svelte";
import type { View } from "~/state/view.svelte";
import type { System } from "~/platform/types";
import type { Column, Theme } from "~/wire/types";
import { keep, keptIn } from "~/features/plans/drafts";
import { looking, type Form } from "~/features/plans/state.svelte";
import { boardOf } from "~/features/board/state.svelte";
import { start } from "../src/start";
import { FixtureEngine } from "./engine";
import type { Terminals } from "~/terminal/terminals.svelte";
import { terminalsOf } from "~/views/session/terminals.svelte";
import { LONG, minutesAgo, session } from "./fixtures";
import { fixtureHost } from "./host";
import { keepers, type FixtureKeeper } from "./keeper";
import { aboutPlans } from "./plans";
import { savedPrompts } from "./prompts";
import { beside } from "./shells";
import { world } from "./worlds";

declare global {
  interface Window {
    downbeat: App;
    engine: FixtureEngine;
    keepers: Map<string, FixtureKeeper>;
    terminals: Terminals;
  }
}

const query = new URLSearchParams(location.search);
const text = (name: string, other: string) => query.get(name) ?? other;

// With `kept`, as the page that was here before left them.
if (!query.has("kept")) {
  sessionStorage.clear();
  localStorage.clear();
}
const fixtures = world(text("world", "few"));
fixtures.settings = {
  ...fixtures.settings,
  theme: text("theme", "dark") as Theme,
  planner: query.get("planner"),
  interfaceFontSize: Number(text("text", "13")),
};
// `notices=plans`: also about plans.
if (query.get("notices") === "plans") fixtures.notices = [...aboutPlans(), ...fixtures.notices];
localStorage.setItem("downbeat.theme", fixtures.settings.theme);
// The minutes since the person left the window.
const left = query.get("left");
if (left !== null) localStorage.setItem("downbeat.left", `${Date.now() - Number(left) * 60_000}`);
// Rows of panes: `s1,s2/s3,`; an empty name is an empty pane.
const panes = query.get("panes");
if (panes !== null) {
  const rows = panes.split("/").map((row) => row.split(",").map((id) => id || null));
  const all = rows.flat();
  const focus = Math.max(0, all.indexOf(text("view", "").split(":")[1] ?? null));
  const kept = { current: "p1", layouts: [["p1", { rows, focus, zoomed: query.has("zoomed") }]] };
  localStorage.setItem("downbeat.panes", JSON.stringify(kept));
}

const engine = new FixtureEngine(fixtures, text("trouble", "") === "slow" ? 3_000 : 30);
const app = start(
  fixtureHost(engine, {
    system: text("system", "linux") as System,
    desktop: query.has("desktop"),
    trouble: text("trouble", ""),
  }),
);
if (query.get("missing") === "conversation") engine.missing.s7 = { conversation: "gone" };
if (query.get("missing") === "folder") engine.missing.s7 = { place: "deleted" };
if (query.has("archived")) {
  fixtures.sessions.push(
    session("a1", "p1", "Spike: totals in SQL", "exited", 2_900, { archivedAt: minutesAgo(2_880) }),
    session("a2", "p1", LONG, "killed", 9_000, { archivedAt: minutesAgo(60), workspacePath: null }),
  );
}
window.downbeat = app;
window.engine = engine;
window.keepers = keepers;
window.terminals = terminalsOf(app);

const [kind, rest] = text("view", "").split(":");
const views: Record<string, () => View> = {
  attention: () => ({ kind: "attention" }),
  cost: () => ({ kind: "cost" }),
  timeline: () => (rest ? { kind: "timeline", projectId: rest } : { kind: "timeline" }),
  compare: () => ({ kind: "compare", ids: (rest ?? "s8,s9").split(",") }),
  session: () => ({ kind: "session", id: rest ?? "s3" }),
  queue: () => ({ kind: "mergeQueue", projectId: rest ?? "p1" }),
  plans: () => (rest ? { kind: "plans", projectId: rest } : { kind: "plans" }),
  plan: () => ({ kind: "plan", id: rest ?? "pl1" }),
  fix: () => ({ kind: "fix", projectId: rest ?? "p1" }),
  settings: () => ({ kind: "settings", page: (rest ?? "general") as "general" }),
};
const view = views[kind ?? ""];
if (view) app.view.show(view());
if (query.has("tab")) app.view.setTab(rest ?? "s1", text("tab", "terminal") as "terminal");
const compared = query.get("compare");
if (compared !== null) app.view.compare(rest ?? "s1", compared.split(","));
const besides = Number(query.get("shells"));
if (besides > 0) {
  const of = engine.edit(rest ?? "s3", {});
  const opened = beside(of, besides);
  engine.edit(of.id, { shells: opened });
  const chosen = opened[Number(query.get("shell")) - 1];
  if (chosen) app.view.setShell(of.id, chosen.id);
}
looking.form = text("form", "list") as Form;
const task = query.get("task");
if (task !== null) looking.choose(rest ?? "pl1", task);
const tasks = query.get("tasks");
if (tasks !== null) keep(app.drafts, { ...keptIn(app.drafts), text: tasks });
const goal = query.get("goal");
if (goal !== null) keep(app.drafts, { ...keptIn(app.drafts), begins: "goal", goal });
if (query.has("prompts")) void engine.call("keepPreferences", { values: savedPrompts() });
const prompt = query.get("prompt");
if (prompt !== null) app.drafts.write("newSession", "", JSON.stringify({ prompt, title: "" }));
const board = boardOf(app);
const grouping = query.get("group");
if (grouping !== null) board.group(grouping as "conductor");
if (query.has("cards")) board.toggleCards();
board.column = query.get("column") as Column | null;
const dialog = query.get("dialog");
if (dialog !== null) setTimeout(() => app.dialogs.open(JSON.parse(dialog) as DialogRequest), 200);
if (query.has("drawer")) app.view.drawerOpen = true;
if (query.has("notices")) app.view.noticesOpen = true;
if (query.has("storm")) engine.storm(Number(query.get("storm")));
