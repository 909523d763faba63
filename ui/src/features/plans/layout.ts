// Where the tasks of a plan stand in its graph: columns by what needs what, few crossings, short lines. Pure, and fast enough
// for thousands of tasks. Tasks without any line stand in a grid below the others.
import { layersOf, type Item } from "./layers";

/** The size of a task, and the space around it, in pixels. */
export const BOX = { width: 204, height: 54, gapX: 50, gapY: 14 };

/** How close a line may pass a task or another line. */
const LINE_GAP = 10;

/** The most bends of long lines; beyond, lines take the direct way. */
const MOST_BENDS = 6_000;

/** How often the order is improved. */
const ROUNDS = 4;

export interface Spot {
  id: string;
  layer: number;
  /** Its left upper corner. */
  x: number;
  y: number;
}

export interface Line {
  from: string;
  to: string;
  /** The path, as SVG writes it. */
  path: string;
}

export interface Drawing {
  spots: Spot[];
  lines: Line[];
  width: number;
  height: number;
}

/** A task, or the place where a long line passes a layer. */
interface Vertex {
  id: string | null;
  layer: number;
  before: Vertex[];
  after: Vertex[];
  /** Its place in its layer. */
  at: number;
  /** Its middle. */
  y: number;
}

const vertex = (id: string | null, layer: number): Vertex => ({
  id,
  layer,
  before: [],
  after: [],
  at: 0,
  y: 0,
});

/** Returns where everything stands. */
export function drawingOf(items: readonly Item[]): Drawing {
  const known = new Set(items.map(({ id }) => id));
  const needed = new Set(items.flatMap(({ needs }) => needs));
  const stages = new Set(items.map(({ stage }) => stage)).size;
  const isAlone = ({ id, needs }: Item) =>
    stages === 1 && !needed.has(id) && !needs.some((need) => known.has(need));
  const joined = layered(items.filter((item) => !isAlone(item)));
  return withGrid(joined, items.filter(isAlone));
}

function layered(items: readonly Item[]): Drawing {
  const layers = closer(items, layersOf(items));
  const tasks = new Map(items.map(({ id }) => [id, vertex(id, layers.get(id) ?? 0)]));
  const ways = waysOf(items, tasks);
  const columns: Vertex[][] = [];
  const all = new Set([...tasks.values(), ...ways.flatMap(({ way }) => way)]);
  for (const one of all) (columns[one.layer] ??= []).push(one);
  order(columns);
  straighten(columns);
  const tops = [...all].map(({ id, y }) => y - heightOf(id) / 2);
  const top = tops.reduce((least, one) => Math.min(least, one), Infinity);
  const spots = [...tasks].map(([id, { layer, y }]) => ({
    id,
    layer,
    x: leftOf(layer),
    y: Math.round(y - top - BOX.height / 2),
  }));
  for (const one of all) one.y = Math.round(one.y - top);
  const lowest = spots.reduce((most, { y }) => Math.max(most, y + BOX.height), 0);
  return {
    spots,
    lines: ways.map(({ from, to, way }) => ({ from, to, path: pathOf(way) })),
    width: columns.length === 0 ? 0 : leftOf(columns.length - 1) + BOX.width,
    height: lowest,
  };
}

/** Moves what needs nothing to the column before the first task that needs it: its lines are short then. */
function closer(items: readonly Item[], layers: ReadonlyMap<string, number>): Map<string, number> {
  const stages = new Map(items.map(({ id, stage }) => [id, stage]));
  const first = new Map<string, number>();
  for (const { id, needs, stage } of items) {
    const layer = layers.get(id) ?? 0;
    for (const need of needs) {
      if (stages.get(need) === stage) first.set(need, Math.min(first.get(need) ?? layer, layer));
    }
  }
  const isRoot = ({ needs }: Item) => !needs.some((need) => layers.has(need));
  const moved = new Map(layers);
  for (const item of items.filter(isRoot)) {
    const before = (first.get(item.id) ?? 0) - 1;
    moved.set(item.id, Math.max(layers.get(item.id) ?? 0, before));
  }
  return moved;
}

const leftOf = (layer: number) => layer * (BOX.width + BOX.gapX);
const heightOf = (id: string | null) => (id === null ? 0 : BOX.height);

/** Joins each task to what it needs; a line that passes layers gets a bend in each. */
function waysOf(items: readonly Item[], tasks: ReadonlyMap<string, Vertex>) {
  const joined = items.flatMap(({ id, needs }) =>
    [...new Set(needs)].flatMap((need) => {
      const [from, to] = [tasks.get(need), tasks.get(id)];
      return from && to && from.layer < to.layer ? [{ from, to }] : [];
    }),
  );
  const bends = joined.reduce((sum, { from, to }) => sum + to.layer - from.layer - 1, 0);
  return joined.map(({ from, to }) => {
    const passed = bends > MOST_BENDS ? 0 : to.layer - from.layer - 1;
    const between = Array.from({ length: passed }, (_, at) => vertex(null, from.layer + 1 + at));
    const way = [from, ...between, to];
    way.slice(1).forEach((next, at) => {
      const last = way[at];
      last?.after.push(next);
      if (last) next.before.push(last);
    });
    return { from: from.id ?? "", to: to.id ?? "", way };
  });
}

/** Orders each column by the places of what it is joined to, so that few lines cross. */
function order(columns: readonly Vertex[][]): void {
  const number = (column: Vertex[]) => column.forEach((one, at) => (one.at = at));
  columns.forEach(number);
  const sort = (column: Vertex[], side: "before" | "after") => {
    const wanted = new Map(column.map((one) => [one, mean(one[side], ({ at }) => at) ?? one.at]));
    column.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0) || a.at - b.at);
    number(column);
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const column of columns) sort(column, "before");
    if (round < ROUNDS - 1) for (const column of columns.toReversed()) sort(column, "after");
  }
}

/** Moves what is joined to the same height where there is room. */
function straighten(columns: readonly Vertex[][]): void {
  for (const column of columns) spread(column, () => 0);
  const near = (side: "before" | "after") => (one: Vertex) =>
    mean(one[side], ({ y }) => y) ?? one.y;
  for (const side of ["before", "after", "before", "after"] as const) {
    const way = side === "before" ? columns : columns.toReversed();
    for (const column of way) spread(column, near(side));
  }
}

/** Gives each of a column the height nearest to the wanted one that keeps the order and the gaps (least squares). */
function spread(column: readonly Vertex[], wanted: (one: Vertex) => number): void {
  const offsets: number[] = [];
  column.forEach((one, at) => {
    const last = column[at - 1];
    const gap = last ? gapOf(last, one) : 0;
    offsets.push((offsets[at - 1] ?? 0) + gap);
  });
  const blocks: { sum: number; count: number }[] = [];
  column.forEach((one, at) => {
    blocks.push({ sum: wanted(one) - (offsets[at] ?? 0), count: 1 });
    for (;;) {
      const [low, high] = blocks.slice(-2);
      if (!low || !high || low.sum / low.count <= high.sum / high.count) break;
      blocks.splice(-2, 2, { sum: low.sum + high.sum, count: low.count + high.count });
    }
  });
  const heights = blocks.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count));
  column.forEach((one, at) => (one.y = (heights[at] ?? 0) + (offsets[at] ?? 0)));
}

function gapOf(upper: Vertex, lower: Vertex): number {
  const between = upper.id !== null && lower.id !== null ? BOX.gapY : LINE_GAP;
  return (heightOf(upper.id) + heightOf(lower.id)) / 2 + between;
}

function mean(all: readonly Vertex[], of: (one: Vertex) => number): number | null {
  return all.length === 0 ? null : all.reduce((sum, one) => sum + of(one), 0) / all.length;
}

/** Draws a line through its bends, with an arrow at its end. */
function pathOf(way: readonly Vertex[]): string {
  const [first] = way;
  if (!first) return "";
  let x = leftOf(first.layer) + BOX.width;
  let y = first.y;
  let path = `M${x} ${y}`;
  for (const next of way.slice(1)) {
    const to = leftOf(next.layer);
    const bend = Math.min(BOX.gapX / 2, (to - x) / 2);
    path += `C${x + bend} ${y} ${to - bend} ${next.y} ${to} ${next.y}`;
    if (next.id === null) path += `H${to + BOX.width}`;
    x = to + BOX.width;
    y = next.y;
  }
  return `${path}m-5 -4l5 4l-5 4`;
}

/** Adds tasks without lines in rows below, as wide as the rest, or four abreast. */
function withGrid(drawing: Drawing, alone: readonly Item[]): Drawing {
  if (alone.length === 0) return drawing;
  const step = BOX.width + BOX.gapX;
  const abreast = Math.max(
    Math.round((drawing.width + BOX.gapX) / step),
    Math.min(4, alone.length),
  );
  const top = drawing.height === 0 ? 0 : drawing.height + 3 * BOX.gapY;
  const added = alone.map(({ id }, at): Spot => {
    const layer = at % abreast;
    const row = Math.floor(at / abreast);
    return { id, layer, x: leftOf(layer), y: top + row * (BOX.height + BOX.gapY) };
  });
  const lowest = added.at(-1)?.y ?? 0;
  return {
    spots: [...drawing.spots, ...added],
    lines: drawing.lines,
    width: Math.max(drawing.width, leftOf(abreast - 1) + BOX.width),
    height: lowest + BOX.height,
  };
}
