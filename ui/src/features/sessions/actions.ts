// What a person can do with a session: when it can be done, and how. The menus, the palette and the
// views all take it from here.
import type { App } from "~/state/app.svelte";
import { leave } from "~/features/shells/actions";
import type { GoOn, Session, SessionId } from "~/wire/types";
import { isEnded, isLive } from "~/state/sessions/status";
import { words } from "./words";

/** Whether its directory is one that Downbeat made and may remove. */
export function hasWorktree(session: Session): boolean {
  return session.workspace === "worktree" && session.workspacePath !== null;
}

/** Whether there is an agent that reads what it is sent. */
export function takesMessages(session: Session): boolean {
  return isLive(session) && session.agent !== "shell" && !session.once;
}

export const can = {
  clearStatus: (s: Session) => ["running", "waiting", "idle"].includes(s.status),
  resume: (s: Session) => s.canResume && isEnded(s),
  pause: (s: Session) => takesMessages(s) && s.paused === null,
  goOn: (s: Session) => s.paused !== null || (s.limit !== null && !s.limit.goesOn),
  continueSetup: (s: Session) => s.status === "setup_failed",
  stop: (s: Session) => isLive(s),
  kill: (s: Session) => isLive(s) || s.status === "queued",
  remove: (s: Session) => hasWorktree(s) && isEnded(s),
  restore: (s: Session) => s.hasBackup,
  forget: (s: Session) => isEnded(s) && !hasWorktree(s),
  spawnWorker: (s: Session) => s.role === "conductor" && isLive(s),
};

/** What can go on with a session's work in another way; its agent must be able to. */
export function waysOn(app: App, s: Session) {
  const agent = app.fleet.agent(s.agent);
  const up = isLive(s) && s.status !== "spawning" && s.status !== "setup_failed";
  const stands = s.workspacePath !== null && s.agent !== "shell" && (up || isEnded(s));
  return {
    restart: up && agent?.canResume === true,
    fork: stands && agent?.canFork === true,
    handOver: stands,
    archive: isEnded(s),
  };
}

export function resume(app: App, id: SessionId): Promise<boolean> {
  return app.attempt(words.resumeFailed, () => app.call("resumeSession", { id }));
}

/** Ends a session that has not started. */
export function cancel(app: App, id: SessionId): Promise<boolean> {
  return app.attempt(words.spawn.cancelFailed, () => app.call("killSession", { id }));
}

export function pause(app: App, id: SessionId): Promise<boolean> {
  return app.attempt(words.pause.failed, () => app.call("pauseSession", { id }));
}

export function goOn(app: App, id: SessionId, when: GoOn): Promise<boolean> {
  return app.attempt(words.limit.failed, () => app.call("goOnSession", { id, when }));
}

export function continueSetup(app: App, id: SessionId, startAnyway: boolean): Promise<boolean> {
  return app.attempt(words.setupFailed, () => app.call("continueSetup", { id, startAnyway }));
}

export function clearStatus(app: App, id: SessionId): Promise<boolean> {
  return app.attempt(words.clearFailed, () => app.call("clearStatus", { id }));
}

export function stop(app: App, id: SessionId): Promise<boolean> {
  return app.attempt(words.stopFailed, () => app.call("stopSessions", { id }));
}

export function stopAll(app: App): Promise<boolean> {
  return app.attempt(words.stopAllFailed, async () => {
    const { sessions } = await app.call("stopSessions", { all: true });
    app.toasts.show({ title: words.stopped(sessions.length), text: words.stoppedText });
  });
}

export function forget(app: App, session: Session): Promise<void> {
  return leave(app, session, "forget", words.forgetFailed, () => takeOff(app, session, false));
}

/** Forgets it; by force also where that ends what runs in its shells. */
export async function takeOff(app: App, { id }: Session, force: boolean): Promise<void> {
  await app.call("forgetSession", { id, force });
  if (app.view.sessionId === id) app.view.show({ kind: "home" });
}

export function copy(app: App, text: string): Promise<boolean> {
  return app.attempt(words.copyFailed, async () => {
    await app.platform.copy(text);
    app.toasts.show({ title: words.copied, text });
  });
}
