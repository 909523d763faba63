// How the person looks at the timeline: how far back, and in which order. Kept while the window is open.
import type { Order } from "./order";

/** How many hours back one can look. */
export const RANGES = [4, 12, 24, 168] as const;
export type Range = (typeof RANGES)[number];

class Looking {
  hours = $state<Range>(24);
  order = $state<Order>("first");
}

export const looking = new Looking();
