// Moves the focus on when the focused element disappears: a removed row, a given answer, a dialog
// whose opener is gone. The browser would drop the focus, and the next Tab would start at the top.

const FOCUSABLE =
  "a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), [tabindex]";
/** Layers above the page, which return the focus themselves if they can. */
const LAYER = '[role="dialog"], [role="menu"], [role="listbox"], .toaster';
/**
 * Elements that never receive the focus automatically: destructive buttons, answers and terminals.
 */
const NEVER = ".answers, .danger, .xterm";
/**
 * A closing layer or a new view may first take the focus itself, within this time in milliseconds.
 */
const PATIENCE = 120;

/**
 * The position of an element: itself, its name, and its index among the children of each ancestor.
 */
interface Trail {
  element: HTMLElement;
  name: string;
  layer: Element | null;
  steps: { parent: Element; at: number }[];
}

const nameOf = (element: Element) => element.getAttribute("aria-label") ?? element.textContent;

function trailOf(element: HTMLElement): Trail {
  const layer = element.closest(LAYER);
  const steps: Trail["steps"] = [];
  let child: Element = element;
  while (child !== layer && child.parentElement && child.parentElement !== document.body) {
    const parent = child.parentElement;
    steps.push({ parent, at: [...parent.children].indexOf(child) });
    child = parent;
  }
  return { element, name: nameOf(element), layer, steps };
}

function canTake(element: Element): element is HTMLElement {
  return (
    element instanceof HTMLElement &&
    element.matches(FOCUSABLE) &&
    element.closest(NEVER) === null &&
    (typeof element.checkVisibility !== "function" || element.checkVisibility())
  );
}

/**
 * Returns the element itself, else the one with this name inside it, else the first tab stop inside
 * it.
 */
function inside(element: Element, name: string): HTMLElement | undefined {
  if (canTake(element)) return element;
  const within = [...element.querySelectorAll(FOCUSABLE)].filter(canTake);
  return (
    within.find((one) => nameOf(one) === name) ??
    within.find((one) => one.getAttribute("tabindex") !== "-1")
  );
}

/** Returns the element that takes over: the nearest, preferring those after it. */
function heirOf({ element, name, steps }: Trail): HTMLElement | undefined {
  if (element.isConnected) return element;
  for (const { parent, at } of steps) {
    if (!parent.isConnected) continue;
    const children = [...parent.children];
    for (const child of [...children.slice(at), ...children.slice(0, at).reverse()]) {
      const found = inside(child, name);
      if (found) return found;
    }
  }
  return undefined;
}

/**
 * Focuses an element that nobody chose. Until it loses the focus, it is marked: a terminal that is only ready now may
 * take the focus from it.
 */
function passOn(heir: HTMLElement) {
  heir.dataset.tookOver = "";
  heir.addEventListener("blur", () => delete heir.dataset.tookOver, { once: true });
  heir.focus();
}

/** Preserves the focus until the returned function is called. */
export function keepFocus(): () => void {
  /** The last focused element, and the last one outside all layers. */
  let last: Trail | null = null;
  let below: Trail | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isLost = () =>
    last !== null && !last.element.isConnected && document.activeElement === document.body;
  function giveOn() {
    timer = undefined;
    if (!isLost() || last === null) return;
    const own = last.layer === null || last.layer.isConnected ? heirOf(last) : undefined;
    last = null;
    const heir = own ?? (below ? heirOf(below) : undefined);
    if (heir) passOn(heir);
  }
  function onfocusin({ target }: FocusEvent) {
    if (!(target instanceof HTMLElement)) return;
    last = trailOf(target);
    if (last.layer === null) below = last;
  }
  const observer = new MutationObserver(() => {
    if (isLost()) timer ??= setTimeout(giveOn, PATIENCE);
  });
  document.addEventListener("focusin", onfocusin);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener("focusin", onfocusin);
  };
}
