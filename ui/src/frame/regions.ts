// The regions of the window that F6 steps through: sidebar, header, terminal, question, message, details. A
// terminal takes every plain key, so Tab never leaves it; F6 does. A region is marked with `data-region`.

const FOCUSABLE =
  "a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), [tabindex]";

const regions = () =>
  [...document.querySelectorAll<HTMLElement>("[data-region]")].filter((region) =>
    region.checkVisibility(),
  );

/** Returns the element of a region that takes the focus: its main tab stop, else its first control. */
function entrance(region: HTMLElement): HTMLElement {
  const inside = [...region.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (element) =>
      element.tabIndex >= 0 &&
      element.checkVisibility() &&
      // The question is inside the details, but is a region of its own.
      element.closest("[data-region]") === region,
  );
  const first = (selector: string) => inside.find((element) => element.matches(selector));
  return (
    first(".xterm-helper-textarea") ??
    first('[role="treeitem"]') ??
    first(".answer") ??
    first("textarea") ??
    inside[0] ??
    region
  );
}

/** Moves the focus to the next region (or the previous one), wrapping around. */
export function stepRegion(by: 1 | -1): void {
  const all = regions();
  const here = document.activeElement?.closest<HTMLElement>("[data-region]") ?? null;
  const at = here ? all.indexOf(here) : -1;
  const next = at === -1 ? all.at(by === 1 ? 0 : -1) : all[(at + by + all.length) % all.length];
  if (next) entrance(next).focus();
}
