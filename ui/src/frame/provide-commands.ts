// Provides the handlers of all commands that no view provides.
import {
  perform,
  actionOf,
  labelOf,
  canPerform,
  SESSION_COMMANDS,
} from "~/features/sessions/actions";
import type { SessionCommand } from "~/features/sessions/actions";
import type { App } from "~/state/app.svelte";
import type { Handler } from "~/state/keys/commands.svelte";
import type { CommandId } from "~/state/keys/table";
import { COMMANDS, type WindowCommand } from "./commands";

/**
 * Returns a handler for an action on the session in view: available only while there is one that
 * allows it.
 */
function onSession(app: App, id: SessionCommand): Handler {
  const current = () => app.fleet.session(app.view.sessionId);
  return {
    enabled: () => {
      const session = current();
      return session !== undefined && canPerform(app, session, id);
    },
    run: () => {
      const session = current();
      if (session) perform(app, session, id);
    },
    title: () => {
      const [{ title, precise }, session] = [actionOf(id), current()];
      return precise && session ? labelOf(app, session, id) : (title ?? "");
    },
  };
}

/** Provides all handlers; returns a function that removes them. */
export function provideCommands(app: App): () => void {
  const window = Object.entries(COMMANDS).flatMap(
    ([id, { run, enabled }]: [string, WindowCommand]): [CommandId, Handler][] =>
      run
        ? [[id as CommandId, { run: () => run(app), enabled: () => enabled?.(app) ?? true }]]
        : [],
  );
  const session = SESSION_COMMANDS.map((id): [CommandId, Handler] => [id, onSession(app, id)]);
  const undo = [...window, ...session].map(([id, handler]) => app.commands.provide(id, handler));
  return () => undo.forEach((one) => one());
}
