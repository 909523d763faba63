// The order of tasks: in which layer each stands, after all that it needs. Pure.

/** What the order depends on. */
export interface Item {
  id: string;
  needs: readonly string[];
  /** All items of earlier stages come before it. */
  stage: number;
}

/** Returns the layer of each item: one after the last of what it needs. Items that need each other share the first free layer. */
export function layersOf(items: readonly Item[]): Map<string, number> {
  const layers = new Map<string, number>();
  const stages = [...new Set(items.map(({ stage }) => stage))].sort((a, b) => a - b);
  let base = 0;
  for (const stage of stages) {
    const own = items.filter((item) => item.stage === stage);
    place(own, base, layers);
    for (const { id } of own) base = Math.max(base, (layers.get(id) ?? 0) + 1);
  }
  return layers;
}

/** Places the items of one stage, whose earlier stages are placed. */
function place(items: readonly Item[], base: number, layers: Map<string, number>): void {
  const waits = new Map(items.map(({ id }) => [id, 0]));
  const above = new Map<string, Item[]>();
  for (const item of items) {
    for (const need of new Set(item.needs)) {
      if (!waits.has(need)) continue;
      waits.set(item.id, (waits.get(item.id) ?? 0) + 1);
      const list = above.get(need);
      if (list) list.push(item);
      else above.set(need, [item]);
    }
  }
  const free = items.filter(({ id }) => waits.get(id) === 0);
  for (const item of free) {
    const before = item.needs.map((need) => (layers.get(need) ?? -1) + 1);
    layers.set(
      item.id,
      before.reduce((most, one) => Math.max(most, one), base),
    );
    for (const next of above.get(item.id) ?? []) {
      const left = (waits.get(next.id) ?? 0) - 1;
      waits.set(next.id, left);
      if (left === 0) free.push(next);
    }
  }
  for (const { id } of items) if (!layers.has(id)) layers.set(id, base);
}

/** Returns the items in their layers, in the order in which they were given. */
export function waves<T extends Item>(items: readonly T[]): T[][] {
  const layers = layersOf(items);
  const found: T[][] = [];
  for (const item of items) (found[layers.get(item.id) ?? 0] ??= []).push(item);
  return found.filter((wave) => wave.length > 0);
}
