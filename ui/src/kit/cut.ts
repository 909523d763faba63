// Which element the tooltip of the page is about, and what it says. Reads layout, so it is asked only
// once the pointer rests. Not the tooltip itself.

/** The element that has a tooltip, or else may be a text that does not fit; null on a drawing. */
export function tipTarget(at: EventTarget | null): HTMLElement | null {
  if (!(at instanceof Element)) return null;
  const element = at.closest("[data-tip]") ?? at.closest(".cut") ?? at;
  return element instanceof HTMLElement ? element : null;
}

/** What the tooltip says of an element: its own words, else its text if that ends with an ellipsis. */
export function tipText(element: HTMLElement): string {
  return element.dataset.tip ?? (isCut(element) ? element.textContent.trim() : "");
}

/** Whether the element draws an ellipsis: at the end of its one line, or of its last line. */
function isCut(element: HTMLElement): boolean {
  const style = getComputedStyle(element);
  if (style.overflowX !== "hidden" && style.overflowX !== "clip") return false;
  if (style.textOverflow === "ellipsis" && element.scrollWidth > element.clientWidth) return true;
  return style.webkitLineClamp !== "none" && element.scrollHeight > element.clientHeight;
}
