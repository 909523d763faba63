// The terminals of this window, one set per application: views are unmounted, terminals are parked.
// Tracks which sessions exist and live, also for parked terminals.
import type { App } from "~/state/app.svelte";
import { attachingOf } from "~/features/files/attaching.svelte";
import { openInEditor } from "~/features/changes/editor";
import { isLive } from "~/state/sessions/status";
import { inWorkspace, type Place } from "~/terminal/places";
import { Terminals } from "~/terminal/terminals.svelte";
import { words } from "./words";

const sets = new WeakMap<App, Terminals>();

export function terminalsOf(app: App): Terminals {
  const known = sets.get(app);
  if (known) return known;
  const terminals = new Terminals(app.platform);
  sets.set(app, terminals);
  terminals.copied = (id) => app.toasts.show({ title: words.copied(app.fleet.session(id)?.title) });
  terminals.pastedFiles = (id, files) => attachTo(app, id, files);
  terminals.openPlace = (id, place) => openPlace(app, id, place);
  $effect.root(() => {
    $effect(() => {
      const { settings } = app.fleet;
      if (settings)
        terminals.text = { size: settings.terminalFontSize, font: settings.terminalFont };
    });
    $effect(() => {
      if (!app.fleet.loaded) return;
      const live = new Map(
        app.fleet.sessions.flatMap((session) => [
          [session.id, isLive(session)] as const,
          ...session.shells.map(({ id }) => [id, true] as const),
        ]),
      );
      terminals.follow((id) => live.get(id) ?? null);
    });
  });
  return terminals;
}

/** Opens a place in the person's editor, if it is in the workspace of the terminal's session. */
function openPlace(app: App, id: string, { path, line }: Place) {
  const session = app.fleet.sessions.find(
    (one) => one.id === id || one.shells.some((shell) => shell.id === id),
  );
  if (!session) return;
  const own = inWorkspace(path, session.workspacePath);
  if (own === null) app.toasts.fail(words.elsewhere(path), new Error(words.elsewhereText));
  else void openInEditor(app, session.id, own, line);
}

/** Attaches files and pastes their paths into a terminal, unless it is gone by then. */
export function attachTo(app: App, id: string, files: readonly File[]) {
  const terminals = terminalsOf(app);
  const terminal = terminals.peek(id);
  if (!terminal || terminal.over) return;
  void attachingOf(app).attach(id, files, (paths) => {
    if (terminals.peek(id) !== terminal) return false;
    terminal.screen.insert(`${paths} `);
    return true;
  });
}
