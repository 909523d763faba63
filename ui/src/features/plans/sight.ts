// What of a graph is in sight, and which task an arrow key leads to. Pure.
import { BOX, type Line, type Spot } from "./layout";
import type { Work } from "./reading";

/** A part of the drawing, in pixels. */
export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Whether a task is at least partly inside. */
export function within({ x, y }: Spot, { left, top, right, bottom }: Area): boolean {
  return x + BOX.width >= left && x <= right && y + BOX.height >= top && y <= bottom;
}

/** A phase above its columns. */
export interface Phase {
  name: string;
  x: number;
  width: number;
}

/** Returns the phases of a plan from left to right, with the columns that each has; phases that share a column are none. */
export function phasesOf(spots: readonly Spot[], works: ReadonlyMap<string, Work>): Phase[] {
  const stages = new Map<number, { name: string; from: number; to: number }>();
  for (const { id, x } of spots) {
    const task = works.get(id)?.task;
    if (!task) continue;
    const known = stages.get(task.stage);
    const name = known?.name ?? task.phase ?? "";
    const [from, to] = [Math.min(known?.from ?? x, x), Math.max(known?.to ?? x, x)];
    stages.set(task.stage, { name, from, to });
  }
  if (stages.size < 2) return [];
  return [...stages]
    .sort(([a], [b]) => a - b)
    .map(([stage, { name, from, to }]) => ({
      name: name === "" ? `${stage + 1}` : name,
      x: from,
      width: to - from + BOX.width,
    }));
}

/** Returns the task that a key leads to: along a line to the left or right, up or down in its column; null for none. */
export function near(
  spots: readonly Spot[],
  lines: readonly Line[],
  id: string,
  key: string,
): string | null {
  const at = spots.find((spot) => spot.id === id);
  if (!at) return null;
  const far = (spot: Spot) => Math.abs(spot.y - at.y) + Math.abs(spot.x - at.x) / 8;
  const nearest = (some: readonly Spot[]) =>
    some.reduce<Spot | null>((best, one) => (!best || far(one) < far(best) ? one : best), null);
  const named = (ids: ReadonlySet<string>) => spots.filter((spot) => ids.has(spot.id));
  switch (key) {
    case "ArrowLeft": {
      const needs = new Set(lines.filter(({ to }) => to === id).map(({ from }) => from));
      return (nearest(named(needs)) ?? nearest(spots.filter(({ x }) => x < at.x)))?.id ?? null;
    }
    case "ArrowRight": {
      const next = new Set(lines.filter(({ from }) => from === id).map(({ to }) => to));
      return (nearest(named(next)) ?? nearest(spots.filter(({ x }) => x > at.x)))?.id ?? null;
    }
    case "ArrowUp":
      return nearest(spots.filter(({ x, y }) => x === at.x && y < at.y))?.id ?? null;
    case "ArrowDown":
      return nearest(spots.filter(({ x, y }) => x === at.x && y > at.y))?.id ?? null;
    case "Home":
      return spots[0]?.id ?? null;
    case "End":
      return spots.at(-1)?.id ?? null;
    default:
      return null;
  }
}
