// Runs and cancels the checks of a session's work, and sends their failures to its agent.
import type { App } from "~/state/app.svelte";
import { words } from "./words";

export function run(app: App, id: string): Promise<boolean> {
  return app.attempt(words.failed, () => app.call("checkSession", { id }));
}

export function cancel(app: App, id: string): Promise<boolean> {
  return app.attempt(words.cancelFailed, () => app.call("cancelChecks", { id }));
}

/** Merges a session's work: its pull request, or into the default branch after the project's checks. */
export function merge(app: App, id: string): Promise<boolean> {
  return app.attempt(words.mergeFailed, () => app.call("mergeSession", { id }));
}

/** Lets the forge merge a session's pull request as soon as nothing is missing. */
export function mergeWhenReady(app: App, id: string): Promise<boolean> {
  return app.attempt(words.mergeFailed, () => app.call("mergeSession", { id, whenReady: true }));
}

export function cancelMerge(app: App, id: string): Promise<boolean> {
  return app.attempt(words.cancelFailed, () => app.call("cancelMerge", { id }));
}

export function send(app: App, id: string): Promise<boolean> {
  return app.attempt(words.sendFailed, async () => {
    await app.call("sendFailures", { id });
    app.toasts.show({ title: words.sent });
  });
}
