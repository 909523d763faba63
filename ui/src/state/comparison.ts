// Opens the comparison of sessions: on their conductor's page if they have one, else on its own.
import type { App } from "./app.svelte";
import type { SessionSummary, SessionId } from "~/wire/types";
import { firstCompared, MOST, rivalsOf } from "~/state/sessions/rivals";

/**
 * Returns what comparing `session` would show: sessions with its task, or a conductor's workers.
 */
export function comparable(app: App, session: SessionSummary): SessionId[] {
  const rivals = rivalsOf(app.fleet.sessions, session).map(({ id }) => id);
  if (rivals.length > 0) {
    return [session.id, ...rivals.filter((id) => id !== session.id)].slice(0, MOST);
  }
  const workers = app.fleet.workersOf(session.id);
  return workers.length < 2 ? [] : firstCompared(workers);
}

export function compare(app: App, ids: readonly SessionId[]): void {
  const order = app.fleet.order.filter((id) => ids.includes(id));
  const parents = new Set(order.map((id) => app.fleet.session(id)?.parent ?? null));
  const [parent = null, ...others] = parents;
  if (parent === null || others.length > 0 || !app.fleet.session(parent)) {
    app.view.show({ kind: "compare", ids: order });
    return;
  }
  app.view.compare(parent, order);
  app.view.open(parent, "workers");
}
