// What was typed into the dialog for a new plan and did not become one yet. Kept while the window is open.
import { EMPTY, type Draft } from "./draft";

export const drafts: { plan: Draft } = { plan: EMPTY };
