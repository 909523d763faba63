// Calls the engine for actions on sessions, and reports the result to the person.
import type { App } from "~/state/app.svelte";
import { leave } from "~/features/shells/actions";
import type { GoOn, SessionSummary, SessionId } from "~/wire/types";
import { words } from "./words";

export function resume(app: App, id: SessionId): Promise<boolean> {
  return app.attempt(words.resumeFailed, () => app.call("resumeSession", { id }));
}

/** Cancels a session that has not started. */
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

export function forget(app: App, session: SessionSummary): Promise<void> {
  return leave(app, session, "forget", words.forgetFailed, () => takeOff(app, session, false));
}

/** Takes a session off the list; with `force`, also if that ends programs in its shells. */
export async function takeOff(app: App, { id }: SessionSummary, force: boolean): Promise<void> {
  await app.call("forgetSession", { id, force });
  app.view.leave(id);
}

export function copy(app: App, text: string): Promise<boolean> {
  return app.attempt(words.copyFailed, async () => {
    await app.platform.copy(text);
    app.toasts.show({ title: words.copied, text });
  });
}
