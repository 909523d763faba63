// What the Enter key in a single field means.

/** Whether a key press submits the field. Not the Enter that ends a composition of characters, and
 * not the one with a modifier, which the dialog takes. */
export function isSubmit(event: KeyboardEvent): boolean {
  return event.key === "Enter" && !event.isComposing && !event.ctrlKey && !event.metaKey;
}
