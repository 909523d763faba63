// How the person looks at the sidebar. Order and pins are kept for the window's next start; words and state are not:
// after a start, nobody remembers having chosen them.
import type { SessionId } from "~/wire/types";
import type { Kept } from "./kept";
import { AS_IT_IS, movedTo, SORTS, type Looking, type Sort } from "./sessions/looking";

const NAME = "downbeat.tree";
const ORDER = "downbeat.order";
/** A kept value may have 4,096 bytes. */
const PINS_AT_MOST = 64;
const ORDERED_AT_MOST = 280;

export class Sidebar {
  looking = $state.raw<Looking>(AS_IT_IS);

  /** The sessions that were chosen together; none or at least two. */
  chosen = $state.raw<readonly SessionId[]>([]);

  constructor(readonly kept: Kept) {
    this.recall();
  }

  /** Takes up what the previous window kept. */
  recall() {
    const order = (this.kept.get(ORDER) ?? "").split(" ").filter(Boolean);
    this.looking = { ...this.looking, ...read(this.kept.get(NAME)), order };
  }

  look(change: Partial<Looking>) {
    this.looking = { ...this.looking, ...change };
    const { sort, pinned } = this.looking;
    this.kept.set(NAME, JSON.stringify({ sort, pinned }));
  }

  /** Chooses several sessions; one alone is not a choice. */
  choose(ids: readonly SessionId[]) {
    if (ids.length > 1 || this.chosen.length > 0) this.chosen = ids.length > 1 ? ids : [];
  }

  /** Puts a session right before or after another one; `arranged` is the order on show, which becomes the person's own. */
  place(arranged: readonly SessionId[], id: SessionId, beside: SessionId, isAfter: boolean) {
    const order = movedTo(arranged, id, beside, isAfter).slice(0, ORDERED_AT_MOST);
    this.look({ sort: "own", order });
    this.kept.set(ORDER, order.join(" "));
  }

  isPinned(id: SessionId): boolean {
    return this.looking.pinned.includes(id);
  }

  togglePin(id: SessionId) {
    const others = this.looking.pinned.filter((one) => one !== id);
    this.look({ pinned: this.isPinned(id) ? others : [...others, id].slice(-PINS_AT_MOST) });
  }
}

function read(text: string | null): Partial<Looking> {
  try {
    const kept: unknown = JSON.parse(text ?? "null");
    if (typeof kept !== "object" || kept === null) return {};
    const { sort, pinned } = kept as Record<string, unknown>;
    const known: Sort = SORTS.find((one) => one === sort) ?? AS_IT_IS.sort;
    const ids = Array.isArray(pinned) ? (pinned as unknown[]) : [];
    return { sort: known, pinned: ids.filter((id) => typeof id === "string") };
  } catch {
    return {};
  }
}
