// The parts of the window that F6 goes through: sidebar, header, terminal, question, message, details.
// A terminal takes every plain key, so that Tab never leaves it; from part to part this does. Each
// part that is on the page says so by `data-region`.

const FOCUSABLE =
  "a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), [tabindex]";

const regions = () =>
  [...document.querySelectorAll<HTMLElement>("[data-region]")].filter((region) =>
    region.checkVisibility(),
  );

/** What takes the focus of a region: its one tab stop that stands for it, else its first control. */
function entrance(region: HTMLElement): HTMLElement {
  const inside = [...region.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (element) =>
      element.tabIndex >= 0 &&
      element.checkVisibility() &&
      // The question stands inside the details, and is a region of its own.
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

/** Moves the focus to the next region (or the one before), around the end. */
export function stepRegion(by: 1 | -1): void {
  const all = regions();
  const here = document.activeElement?.closest<HTMLElement>("[data-region]") ?? null;
  const at = here ? all.indexOf(here) : -1;
  const next = at === -1 ? all.at(by === 1 ? 0 : -1) : all[(at + by + all.length) % all.length];
  if (next) entrance(next).focus();
}
