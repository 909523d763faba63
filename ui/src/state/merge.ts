// Merges a fresh list into a map that is shown, changing only what differs.

interface Entry {
  id: string;
}

/** Updates `shown` to hold exactly `fresh`; returns the ids in the order of `fresh`. */
export function merge<T extends Entry>(shown: Map<string, T>, fresh: readonly T[]): string[] {
  const order = fresh.map(({ id }) => id);
  const present = new Set(order);
  for (const id of [...shown.keys()]) if (!present.has(id)) shown.delete(id);
  for (const entry of fresh) {
    const old = shown.get(entry.id);
    if (old === undefined || JSON.stringify(old) !== JSON.stringify(entry))
      shown.set(entry.id, entry);
  }
  return order;
}
