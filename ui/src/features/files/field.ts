// Changes the text of a field as if a person had typed.
import { spaced, type Edit } from "./mention";

/** Marks the fields whose text may name files by their paths. */
export const TAKES_PATHS = "data-takes-paths";

export function apply(field: HTMLTextAreaElement, { from, to, text, cursor }: Edit) {
  field.setRangeText(text, from, to, "end");
  field.setSelectionRange(cursor, cursor);
  field.dispatchEvent(new InputEvent("input", { bubbles: true, data: text }));
}

/** Inserts words at the cursor, in place of what is selected. */
export function insert(field: HTMLTextAreaElement, words: string) {
  apply(field, spaced(field.value, field.selectionStart, field.selectionEnd, words));
}
