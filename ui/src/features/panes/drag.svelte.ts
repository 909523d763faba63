// A session that is dragged by pointer: into a pane, from a row or from another pane's bar, or to another place in its list. The element where it began
// captures the pointer, so that no program in a terminal hears of it.
import type { App } from "~/state/app.svelte";
import { zoneAt, type Zone } from "~/state/panes/layout";
import type { SessionId } from "~/wire/types";
import { words } from "./words";

/** A press that moves less than this is a click. */
const SLOP = 6;

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A place in the panes, with the part of the page that the session would take. */
interface PaneTarget {
  kind: "pane";
  at: number;
  zone: Zone;
  box: Box;
}

/** A place in the list that the session was taken from: right before or after another one. */
interface RowTarget {
  kind: "row";
  id: SessionId;
  isAfter: boolean;
  box: Box;
}

type Target = PaneTarget | RowTarget;

/** The rows of a list among which what is dragged can be moved. */
export interface Rows {
  has: (id: SessionId) => boolean;
  drop: (beside: SessionId, isAfter: boolean) => void;
}

class Drag {
  /** The dragged session; null while none is. */
  moving = $state.raw<{ title: string; x: number; y: number; target: Target | null } | null>(null);
}
export const drag = new Drag();

function rowAt(x: number, y: number, rows: Rows | undefined): RowTarget | null {
  const row = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-row]");
  const id = row?.dataset.row;
  if (!row || id === undefined || !rows?.has(id)) return null;
  const { left, top, width, height } = row.getBoundingClientRect();
  const isAfter = y > top + height / 2;
  return {
    kind: "row",
    id,
    isAfter,
    box: { left, top: top + (isAfter ? height : 0) - 1, width, height: 2 },
  };
}

function paneAt(x: number, y: number): PaneTarget | null {
  const pane = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-pane]");
  if (!pane) return null;
  const { left, top, width, height } = pane.getBoundingClientRect();
  const zone = zoneAt((x - left) / width, (y - top) / height);
  const isAcross = zone === "left" || zone === "right";
  const box = {
    left: zone === "right" ? left + width / 2 : left,
    top: zone === "down" ? top + height / 2 : top,
    width: isAcross ? width / 2 : width,
    height: zone === "up" || zone === "down" ? height / 2 : height,
  };
  return { kind: "pane", at: Number(pane.dataset.pane), zone, box };
}

/** Follows a press on something that stands for a session; it becomes a drag once the pointer moves. */
export function follow(app: App, id: SessionId, event: PointerEvent, rows?: Rows): void {
  const { currentTarget: from, pointerId, clientX, clientY } = event;
  const isPlain = event.button === 0 && event.pointerType === "mouse";
  if (!isPlain || app.view.narrow || !(from instanceof HTMLElement)) return;
  if (event.target instanceof Element && event.target.closest("button") !== null) return;
  const title = app.fleet.session(id)?.title ?? "";

  let hasMoved = false;
  const move = ({ clientX: x, clientY: y }: PointerEvent) => {
    if (!hasMoved) {
      if (Math.hypot(x - clientX, y - clientY) < SLOP) return;
      hasMoved = true;
      from.setPointerCapture(pointerId);
    }
    drag.moving = { title, x, y, target: rowAt(x, y, rows) ?? paneAt(x, y) };
  };
  /** Stops to follow; the release is still waited for, since it is no click on what was dragged. */
  const stop = () => {
    drag.moving = null;
    window.removeEventListener("pointermove", move);
    window.removeEventListener("keydown", onkeydown, true);
  };
  const end = () => {
    stop();
    window.removeEventListener("pointerup", drop);
    window.removeEventListener("pointercancel", end);
  };
  const drop = () => {
    const target = drag.moving?.target;
    end();
    if (!hasMoved) return;
    swallowClick();
    if (target?.kind === "row") rows?.drop(target.id, target.isAfter);
    else if (target && !app.view.dropOn(id, target.at, target.zone))
      app.toasts.show({ title: words.full, text: words.fullText, tone: "idle" });
  };
  const onkeydown = (key: KeyboardEvent) => {
    if (key.key !== "Escape" || drag.moving === null) return;
    key.preventDefault();
    key.stopPropagation();
    stop();
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", drop);
  window.addEventListener("pointercancel", end);
  window.addEventListener("keydown", onkeydown, true);
}

/** Swallows the click that follows a release. */
function swallowClick() {
  const swallow = (click: Event) => {
    click.preventDefault();
    click.stopPropagation();
  };
  window.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => window.removeEventListener("click", swallow, true));
}
