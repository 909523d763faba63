// Opens sessions in panes, and says so when there is no room.
import type { App } from "~/state/app.svelte";
import type { SessionId } from "~/wire/types";
import { moved, split, type Direction, fitted } from "~/state/panes/layout";
import { words } from "./words";

function refuse(app: App) {
  app.toasts.show({ title: words.full, text: words.fullText, tone: "idle" });
}

/** Opens a session beside those in view. */
export function openBeside(app: App, id: SessionId): void {
  if (!app.view.openBeside(id)) refuse(app);
}

/** Whether an event asks for a new pane: a press with Ctrl, or ⌘ on macOS. */
export function asksForPane(app: App, event: MouseEvent | KeyboardEvent): boolean {
  return app.platform.system === "mac" ? event.metaKey : event.ctrlKey;
}

export const canSplit = (app: App, edge: Direction, at?: number) =>
  app.view.canArrange((layout) => split(layout, null, edge, at));

export const splitPane = (app: App, edge: Direction, at?: number) =>
  app.view.arrange((layout) => split(layout, null, edge, at));

export const canFocus = (app: App, direction: Direction) =>
  app.view.split !== null && app.view.towards(app.view.split, direction) !== null;

export const focusTowards = (app: App, direction: Direction) =>
  app.view.arrange((layout) => {
    const to = app.view.towards(layout, direction);
    return to === null ? null : { ...layout, focus: to };
  });

export const movePane = (app: App, direction: Direction) =>
  app.view.arrange((layout) => moved(layout, fitted(layout, app.view.panes.columns), direction));

/** Gives the focused pane the whole view, or brings the others back. */
export const toggleZoom = (app: App) =>
  app.view.arrange((layout) => ({ ...layout, zoomed: !layout.zoomed }));
