// Who carries out the commands that are not a view's own. Each knows when it makes sense.
import { comparable, compare } from "~/state/comparison";
import { archive } from "~/features/going-on/actions";
import { readNotices } from "~/features/notices/read";
import type { CommandId } from "~/state/keys/table";
import type { Handler } from "~/state/keys/commands.svelte";
import {
  can,
  continueSetup,
  copy,
  forget,
  goOn,
  pause,
  resume,
  stop,
  stopAll,
  waysOn,
} from "~/features/sessions/actions";
import { isLive } from "~/state/sessions/status";
import { killName } from "~/features/sessions/words";
import { endedIn, type EndedScope } from "~/state/sessions/ended";
import * as shells from "~/features/shells/actions";
import { buildTree, sessionIds } from "./sidebar/tree";
import type { ProjectId, Session } from "~/wire/types";
import { stepRegion } from "./regions";
import type { App } from "~/state/app.svelte";

/** A command about the session in view: exists only while one is, and while it allows it. */
function onSession(
  app: App,
  run: (session: Session) => void,
  enabled: (session: Session) => boolean = () => true,
): Handler {
  const current = () => app.fleet.session(app.view.sessionId);
  return {
    enabled: () => {
      const session = current();
      return session !== undefined && enabled(session);
    },
    run: () => {
      const session = current();
      if (session) run(session);
    },
  };
}

function step(app: App, by: 1 | -1) {
  const ids = sessionIds(buildTree(app.fleet.projects, app.fleet.sessions, app.view.collapsed));
  const at = ids.indexOf(app.view.sessionId ?? "");
  const next = at === -1 ? ids.at(by === 1 ? 0 : -1) : ids[(at + by + ids.length) % ids.length];
  if (next !== undefined) app.view.open(next);
}

/** Longest waiting first; from one of them to the one after it, so that the queue drains. */
function nextNeedy(app: App) {
  const needy = app.fleet.needy;
  const at = needy.findIndex(({ id }) => id === app.view.sessionId);
  const next = needy[(at + 1) % needy.length];
  if (next) app.view.open(next.id, "terminal");
  else app.view.show({ kind: "attention" });
}

/** What the session in view can be compared with, it among them. */
function inView(app: App) {
  const session = app.fleet.session(app.view.sessionId);
  return session ? comparable(app, session) : [];
}

function sessionCommands(app: App): Partial<Record<CommandId, Handler>> {
  type Asked = "rename" | "kill" | "killWorkers" | "remove" | "restore";
  type Way = "restart" | "fork" | "handOver";
  const ask = (kind: Asked | Way) => (s: Session) => app.dialogs.open({ kind, sessionId: s.id });
  const way = (kind: Way) => onSession(app, ask(kind), (s) => waysOn(app, s)[kind]);
  return {
    newWorker: onSession(
      app,
      (s) => app.dialogs.open({ kind: "newSession", projectId: s.projectId, parent: s.id }),
      can.spawnWorker,
    ),
    compare: {
      enabled: () => inView(app).length > 1,
      run: () => compare(app, inView(app)),
    },
    newShell: onSession(app, (s) => void shells.open(app, s), shells.canOpen),
    closeShell: onSession(
      app,
      (s) => closeShell(app, s),
      (s) => shells.shownShell(app, s) !== null,
    ),
    rename: onSession(app, ask("rename")),
    restart: way("restart"),
    fork: way("fork"),
    handOver: way("handOver"),
    archive: onSession(
      app,
      (s) => void archive(app, s),
      (s) => waysOn(app, s).archive,
    ),
    resume: onSession(app, (s) => void resume(app, s.id), can.resume),
    pause: onSession(app, (s) => void pause(app, s.id), can.pause),
    goOn: onSession(app, (s) => void goOn(app, s.id, "now"), can.goOn),
    retrySetup: onSession(app, (s) => void continueSetup(app, s.id, false), can.continueSetup),
    startAnyway: onSession(app, (s) => void continueSetup(app, s.id, true), can.continueSetup),
    stop: onSession(app, (s) => void stop(app, s.id), can.stop),
    kill: {
      ...onSession(app, ask("kill"), can.kill),
      title: () => killName(app.fleet.session(app.view.sessionId)?.role ?? "session"),
    },
    killWorkers: onSession(app, ask("killWorkers"), (s) => app.fleet.workersOf(s.id).some(isLive)),
    removeWorkspace: onSession(app, ask("remove"), can.remove),
    restoreWork: onSession(app, ask("restore"), can.restore),
    forget: onSession(app, (s) => void forget(app, s), can.forget),
    copyBranch: onSession(
      app,
      (s) => void copy(app, s.branch ?? ""),
      (s) => s.branch !== null,
    ),
    copyPath: onSession(
      app,
      (s) => void copy(app, s.workspacePath ?? ""),
      (s) => s.workspacePath !== null,
    ),
  };
}

/** The project in view, or the only one. */
function projectInView(app: App): ProjectId | undefined {
  const [only, ...others] = app.fleet.projects;
  const inView = app.fleet.session(app.view.sessionId)?.projectId;
  return inView ?? (others.length === 0 ? only?.id : undefined);
}

/** Null where nothing of the project in view has ended. */
function endedScope(app: App): EndedScope | null {
  const projectId = projectInView(app);
  if (projectId === undefined) return null;
  return endedIn(app.fleet.sessions, { projectId }).length > 0 ? { projectId } : null;
}

/** Where new workers go, while a conductor that takes some is in view. */
function conductorInView(app: App) {
  const session = app.fleet.session(app.view.sessionId);
  return session && can.spawnWorker(session)
    ? { projectId: session.projectId, parent: session.id }
    : {};
}

/** The next of a session's terminals, or a conductor's workers. */
function otherTab(app: App, by: 1 | -1): Handler {
  return onSession(
    app,
    (s) => shells.step(app, s, by),
    (s) => s.role === "conductor" || s.workers > 0 || s.shells.length > 0,
  );
}

/** Closes the shell that shows. */
function closeShell(app: App, s: Session) {
  const shell = shells.shownShell(app, s);
  if (shell) void shells.close(app, s, shell);
}

function chooseTheme(app: App, theme: "light" | "dark" | "system"): Handler {
  return {
    enabled: () => app.theme.choice !== theme,
    run: () => {
      app.theme.choose(theme);
      void app.attempt("Could not keep the theme", () => app.call("editSettings", { theme }));
    },
  };
}

function windowCommands(app: App): Partial<Record<CommandId, Handler>> {
  return {
    palette: { run: () => app.dialogs.open({ kind: "palette" }) },
    search: { run: () => app.dialogs.open({ kind: "palette", said: true }) },
    keys: { run: () => app.dialogs.open({ kind: "keys" }) },
    settings: { run: () => app.view.show({ kind: "settings", page: "general" }) },
    attention: { run: () => app.view.show({ kind: "attention" }) },
    cost: { run: () => app.view.show({ kind: "cost" }) },
    nextNeedy: { run: () => nextNeedy(app) },
    nextSession: { run: () => step(app, 1), enabled: () => app.fleet.order.length > 0 },
    previousSession: { run: () => step(app, -1), enabled: () => app.fleet.order.length > 0 },
    newSession: {
      run: () =>
        app.dialogs.open(
          app.fleet.projects.length === 0 ? { kind: "addProject" } : { kind: "newSession" },
        ),
    },
    tryTwo: {
      run: () => app.dialogs.open({ kind: "newSession", several: true, ...conductorInView(app) }),
      enabled: () => app.fleet.projects.length > 0,
    },
    nextRegion: { run: () => stepRegion(1) },
    previousRegion: { run: () => stepRegion(-1) },
    addProject: { run: () => app.dialogs.open({ kind: "addProject" }) },
    stopAll: { run: () => void stopAll(app), enabled: () => app.fleet.holdsAny },
    previousTab: otherTab(app, -1),
    nextTab: otherTab(app, 1),
    toggleDetails: {
      run: () => app.view.toggleDetails(),
      enabled: () => app.view.sessionId !== null,
    },
    toggleSidebar: { run: () => app.view.toggleSidebar() },
    notices: {
      run: () => {
        if (app.view.narrow) app.view.drawerOpen = true;
        app.view.sidebarHidden = false;
        app.view.noticesOpen = !app.view.noticesOpen;
      },
    },
    readNotices: { run: () => void readNotices(app), enabled: () => app.fleet.unread > 0 },
    themeLight: chooseTheme(app, "light"),
    themeDark: chooseTheme(app, "dark"),
    themeSystem: chooseTheme(app, "system"),
    archived: {
      run: () => {
        const projectId = projectInView(app);
        if (projectId !== undefined) app.dialogs.open({ kind: "archive", projectId });
      },
      enabled: () => projectInView(app) !== undefined,
    },
    removeEnded: {
      run: () => {
        const scope = endedScope(app);
        if (scope) app.dialogs.open({ kind: "removeEnded", scope });
      },
      enabled: () => endedScope(app) !== null,
    },
    quit: {
      run: () => void app.attempt("Could not quit", async () => app.platform.quit?.begin()),
      enabled: () => app.platform.quit !== undefined,
    },
  };
}

/** Provides them all; returns the way to undo. */
export function provideCommands(app: App): () => void {
  const handlers = { ...windowCommands(app), ...sessionCommands(app) };
  const undo = (Object.entries(handlers) as [CommandId, Handler][]).map(([id, handler]) =>
    app.commands.provide(id, handler),
  );
  return () => undo.forEach((one) => one());
}
