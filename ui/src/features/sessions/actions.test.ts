import { expect, it, vi } from "vitest";
import { session } from "../../../dev/fixtures";
import { pull } from "../../../dev/pulls";
import type { App } from "~/state/app.svelte";
import type { Session, SessionPull, SessionSummary } from "~/wire/types";
import { canPerform, labelOf, perform, SESSION_COMMANDS, type ActionId } from "./actions";
import { sessionMenu } from "./menu";

const agents = [
  { id: "claude", canResume: true, canFork: true },
  { id: "shell", canResume: false, canFork: false },
];

/** Returns as much of an app as actions need; records calls and opened dialogs. */
function appWith(sessions: SessionSummary[], inView: string | null = null) {
  const call = vi.fn(() => Promise.resolve({}));
  const open = vi.fn();
  const app = {
    fleet: {
      sessions,
      order: sessions.map(({ id }) => id),
      project: (id: string) => (id === "forge" ? { forge: "github.com/acme/shop" } : {}),
      session: (id: string | null) => sessions.find((one) => one.id === id),
      agent: (id: string) => agents.find((agent) => agent.id === id),
      workersOf: (id: string) => sessions.filter(({ parent }) => parent === id),
    },
    view: {
      sessionId: inView,
      roomy: true,
      narrow: false,
      isShown: (id: string) => id === inView,
      tabOf: () => "terminal",
      shellOf: () => null,
    },
    sidebar: { isPinned: () => false },
    platform: { system: "linux" },
    dialogs: { open },
    commands: { keys: (id: string) => `keys of ${id}` },
    attempt: (_: string, work: () => Promise<unknown>) => work(),
    call,
  } as unknown as App;
  return { app, call, open };
}

function offered(one: SessionSummary, others: SessionSummary[] = []): string {
  const { app } = appWith([one, ...others], one.id);
  return SESSION_COMMANDS.filter((id) => canPerform(app, one, id)).join(" ");
}

const on = { branch: "b", workspacePath: "/w" };

it("offers what a session's state allows, and nothing else", () => {
  const running = session("s", "p", "Runs", "running", 1, on);
  expect(offered(running)).toBe(
    "newShell rename pause restart fork reactionHistory handOver stop kill copyBranch copyPath openInEditor",
  );
  expect(offered(session("s", "p", "Over", "exited", 1, { ...on, canResume: true }))).toBe(
    "newShell rename resume fork reactionHistory handOver removeWorkspace archive copyBranch copyPath openInEditor",
  );
  const queued = { branch: null, workspacePath: null };
  expect(offered(session("s", "p", "Waits", "queued", 1, queued))).toBe("rename kill");
  expect(offered(session("s", "p", "Set-up", "setup_failed", 1, on))).toBe(
    "newShell rename pause snooze reactionHistory retrySetup startAnyway stop kill copyBranch copyPath openInEditor",
  );
  expect(offered(session("s", "p", "Shell", "running", 1, { ...on, agent: "shell" }))).toBe(
    "newShell rename stop kill copyBranch copyPath openInEditor",
  );
});

it("offers a review where something was changed", () => {
  const changes = { files: 2, added: 3, removed: 0, isMany: false };
  const offers = (more: Partial<Session>) =>
    offered(session("s", "p", "Rests", "idle", 1, { ...on, ...more })).includes("review");
  expect(offers({ changes })).toBe(true);
  expect(offers({ changes: { ...changes, files: 0 } }) || offers({ changes: null })).toBe(false);
  expect(offers({ changes, workspacePath: null }) || offers({ changes, agent: "shell" })).toBe(
    false,
  );
});

it("offers a pull request where there is a forge and none is open", () => {
  const offers = (project: string, pulls: SessionPull[] = []) =>
    offered(session("s", project, "Runs", "idle", 1, { ...on, pulls })).includes("createPull");
  expect(offers("p")).toBe(false);
  expect(offers("forge")).toBe(true);
  expect(offers("forge", [pull(1, "Open")])).toBe(false);
  expect(offers("forge", [pull(1, "Merged", { state: "merged" })])).toBe(true);
});

it("offers a conductor the actions on its workers", () => {
  const conductor = session("c", "p", "Conducts", "idle", 1, { ...on, role: "conductor" });
  const worker = (id: string, status: "running" | "exited") =>
    session(id, "p", id, status, 1, { parent: "c", role: "worker" });
  const workers = [worker("w", "running"), worker("v", "exited")];
  const { app, open } = appWith([conductor, ...workers]);
  const can = (id: ActionId) => canPerform(app, conductor, id);
  expect(can("newWorker") && can("killWorkers") && can("removeEndedWorkers")).toBe(true);
  expect(labelOf(app, conductor, "compare")).toBe("Compare 2 side by side");
  expect(offered(conductor)).not.toContain("killWorkers");
  perform(app, conductor, "newWorker");
  expect(open).toHaveBeenCalledWith({ kind: "newSession", projectId: "p", parent: "c" });
});

it("lists the offered actions in the menu, with keys only for the session in view", () => {
  const one = session("s", "p", "Runs", "running", 1, { ...on, role: "worker" });
  const menu = (inView: string | null, from: "row" | "header") =>
    sessionMenu(appWith([one], inView).app, one, from).map((entry) =>
      entry === "separator" ? "-" : entry.label + (entry.keys ? ` (${entry.keys})` : ""),
    );
  const placed = ["Open in a new pane (Ctrl ↵)", "Rename…", "Pin to the top of its project"];
  const others = ["Restart agent…", "Fork…", "Switch agent…", "Reaction history…"];
  const rest = ["-", "Pause", "New shell", "-", ...others];
  const end = [
    "-",
    "Open in editor",
    "Copy branch name",
    "Copy workspace path",
    "-",
    "Stop",
    "Kill worker…",
  ];
  expect(menu(null, "row")).toEqual(["Open", ...placed, ...rest, ...end]);
  expect(menu("s", "header").slice(0, 3)).toEqual([
    "Rename… (keys of rename)",
    "-",
    "Pause (keys of pause)",
  ]);
});

it("asks in a dialog before it ends anything, and ends only what was confirmed", () => {
  const one = session("s", "p", "Runs", "running", 1, on);
  const { app, call, open } = appWith([one]);
  perform(app, one, "kill");
  expect(open).toHaveBeenCalledWith({ kind: "kill", sessionId: "s" });
  expect(call).not.toHaveBeenCalled();
  perform(app, one, "stop");
  expect(call).toHaveBeenCalledWith("stopSessions", { id: "s" });
});
