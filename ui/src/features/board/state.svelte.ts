// How the person looks at the board: filter, groups, and what is unfolded. One for each window, kept for its next start.
import type { App } from "~/state/app.svelte";
import type { Column } from "~/wire/types";
import { ALL, GROUPINGS, type Filter, type Grouping } from "./columns";

const NAME = "downbeat.board";

/** What is kept. Words are not: after a start, nobody remembers having typed them. */
interface Kept {
  project: string | null;
  agent: string | null;
  conductor: string | null;
  grouping: Grouping;
  asCards: boolean;
}

export class BoardState {
  filter = $state.raw<Filter>(ALL);
  grouping = $state<Grouping>("none");
  /** Whether the sessions that need the person are cards, instead of questions with their answers. */
  asCards = $state(false);
  /** Whether all that is done is shown. */
  unfolded = $state(false);
  /** The column that a narrow window shows, which has room for one; null until one was chosen. */
  column = $state<Column | null>(null);
  /** The card that has, or last had, the focus. */
  focused = $state<string | null>(null);

  constructor(readonly app: App) {
    const kept = read(app.kept.get(NAME));
    this.filter = {
      ...ALL,
      project: kept.project ?? null,
      agent: kept.agent ?? null,
      conductor: kept.conductor ?? null,
    };
    this.grouping = GROUPINGS.find((one) => one === kept.grouping) ?? "none";
    this.asCards = kept.asCards === true;
  }

  narrow(change: Partial<Filter>) {
    this.filter = { ...this.filter, ...change };
    this.#keep();
  }

  clear() {
    this.filter = ALL;
    this.#keep();
  }

  group(by: Grouping) {
    this.grouping = by;
    this.#keep();
  }

  toggleCards() {
    this.asCards = !this.asCards;
    this.#keep();
  }

  #keep() {
    const { project, agent, conductor } = this.filter;
    const kept: Kept = {
      project,
      agent,
      conductor,
      grouping: this.grouping,
      asCards: this.asCards,
    };
    this.app.kept.set(NAME, JSON.stringify(kept));
  }
}

function read(text: string | null): Partial<Kept> {
  try {
    const kept: unknown = JSON.parse(text ?? "{}");
    return typeof kept === "object" && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

const states = new WeakMap<App, BoardState>();

export function boardOf(app: App): BoardState {
  const known = states.get(app);
  if (known) return known;
  const state = new BoardState(app);
  states.set(app, state);
  return state;
}
