// How the Enter key in a single-line field is interpreted.

/** Whether a key press submits the field. Excludes the Enter that ends a composition, and Enter
 * with a modifier, which the dialog handles. */
export function isSubmit(event: KeyboardEvent): boolean {
  return event.key === "Enter" && !event.isComposing && !event.ctrlKey && !event.metaKey;
}
