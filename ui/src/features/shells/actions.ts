// Opens and closes the shells beside a session's agent, and selects which terminal is shown.
import type { App } from "~/state/app.svelte";
import type { Leaving } from "~/state/dialogs.svelte";
import { CallError } from "~/wire/error";
import type { SessionSummary, Shell } from "~/wire/types";
import { words } from "./words";

/** Whether the session has a directory to open a shell in. */
export function canOpen(session: SessionSummary): boolean {
  const begins = session.status === "queued" || session.status === "spawning";
  return session.workspacePath !== null && session.archivedAt === null && !begins;
}

/** Returns the shell shown in place of the agent's terminal; null for the agent's own. */
export function shownShell(app: App, session: SessionSummary): Shell | null {
  if (app.view.tabOf(session.id) !== "terminal") return null;
  const chosen = app.view.shellOf(session.id);
  return session.shells.find(({ id }) => id === chosen) ?? null;
}

/** Shows one of a session's terminals: a shell's, or with null its agent's. */
export function show(app: App, session: SessionSummary, shell: string | null): void {
  app.view.setTab(session.id, "terminal");
  app.view.setShell(session.id, shell);
}

export async function open(app: App, session: SessionSummary): Promise<void> {
  await app.attempt(words.openFailed, async () => {
    const shell = await app.call("openShell", { id: session.id });
    show(app, session, shell.id);
    app.view.open(session.id);
  });
}

/** Closes a shell; asks first if a program runs in it. */
export async function close(app: App, session: SessionSummary, shell: Shell): Promise<void> {
  const { id, number, runs } = shell;
  const ask = (program: string | null) =>
    app.dialogs.open({ kind: "closeShell", sessionId: session.id, shell: id, number, program });
  if (runs !== null) return ask(runs);
  try {
    await end(app, session, id);
  } catch (error) {
    const refused = CallError.from(error);
    // A program was started there a moment ago.
    if (refused.code === "conflict") return ask(null);
    app.toasts.fail(words.closeFailed, error);
  }
}

/** Ends a shell; the previous one is shown next, or the agent. */
export async function end(
  app: App,
  session: SessionSummary,
  id: string,
  force = false,
): Promise<void> {
  const at = session.shells.findIndex((shell) => shell.id === id);
  await app.call("closeShell", { id: session.id, shell: id, force });
  if (app.view.shellOf(session.id) === id) {
    app.view.setShell(session.id, session.shells[at - 1]?.id ?? null);
  }
}

/** Takes a session off the list with `run`; asks first if that would end programs in its shells. */
export async function leave(
  app: App,
  { id }: SessionSummary,
  how: Leaving,
  failed: string,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    const refused = CallError.from(error);
    if (refused.code !== "unsaved_work") app.toasts.fail(failed, error);
    else app.dialogs.open({ kind: "leave", sessionId: id, how, why: refused.message });
  }
}

/** Steps through the terminals of a session and, if it conducts, its workers, from left to right. */
export function step(app: App, session: SessionSummary, by: 1 | -1): void {
  const conducts = session.role === "conductor" || session.workers > 0;
  const tabs: (string | null)[] = [null, ...session.shells.map(({ id }) => id)];
  if (conducts) tabs.push("workers");
  const workers = app.view.tabOf(session.id) === "workers";
  const now = workers ? "workers" : (shownShell(app, session)?.id ?? null);
  const next = tabs[(tabs.indexOf(now) + by + tabs.length) % tabs.length] ?? null;
  if (next === "workers") app.view.setTab(session.id, "workers");
  else show(app, session, next);
}
