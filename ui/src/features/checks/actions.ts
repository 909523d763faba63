// Runs and cancels the checks of a session's work, and sends their failures to its agent.
import type { App } from "~/state/app.svelte";
import type { MergeStrategy, Session, SessionPull, SessionSummary } from "~/wire/types";
import { words } from "./words";

export function run(app: App, id: string): Promise<boolean> {
  return app.attempt(words.failed, () => app.call("checkSession", { id }));
}

export function cancel(app: App, id: string): Promise<boolean> {
  return app.attempt(words.cancelFailed, () => app.call("cancelChecks", { id }));
}

/** Merges a session's work into the default branch, after the project's checks: the commit that was approved, if one was, or else
 * the one that `checked` names. */
export function merge(
  app: App,
  { id, review }: SessionSummary,
  checked?: string,
  strategy?: MergeStrategy,
): Promise<boolean> {
  const isApproved = review?.verdict === "approved" && !review.isOutdated;
  const head = isApproved ? review.commit : checked;
  return app.attempt(words.mergeFailed, () =>
    app.call("mergeSession", {
      id,
      local: true,
      ...(head && { head }),
      ...(strategy && { strategy }),
    }),
  );
}

/** Merges a session's pull request at the commit that is shown; or lets the forge do it as soon as nothing is missing. */
export function mergePull(
  app: App,
  id: string,
  { number, head }: SessionPull,
  { whenReady = false, strategy }: { whenReady?: boolean; strategy?: MergeStrategy } = {},
): Promise<boolean> {
  return app.attempt(words.mergeFailed, () =>
    app.call("mergeSession", {
      id,
      number,
      head,
      ...(whenReady && { whenReady }),
      ...(strategy && { strategy }),
    }),
  );
}

/** Merges work at once whose plan lets it wait for work in another project. A place in a queue has only what waits at a forge. */
export function mergeAnyOrder(app: App, { id, merges }: Session): Promise<boolean> {
  const local = merges?.place == null;
  return app.attempt(words.mergeFailed, () =>
    app.call("mergeSession", { id, anyOrder: true, ...(local && { local }) }),
  );
}

export function cancelMerge(app: App, id: string): Promise<boolean> {
  return app.attempt(words.cancelFailed, () => app.call("cancelMerge", { id }));
}

/** Lets a session's work land before others that wait. */
export function mergeSooner(app: App, id: string): Promise<boolean> {
  return app.attempt(words.soonerFailed, () =>
    app.call("prioritizeMerge", { id, priority: "urgent" }),
  );
}

export function send(app: App, id: string): Promise<boolean> {
  return app.attempt(words.sendFailed, async () => {
    await app.call("sendFailures", { id });
    app.toasts.show({ title: words.sent });
  });
}
