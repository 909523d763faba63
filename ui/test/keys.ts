// Where the focus is, and how Tab brings it somewhere, for tests that use keys alone.
import type { Page } from "playwright-core";

/** More stops than any view has. */
const MOST = 120;

/** Returns the name of the focused element, and whether a person can see that it has the focus. */
export function focused(page: Page) {
  return page.evaluate(() => {
    const at = document.activeElement;
    if (!(at instanceof HTMLElement) || at === document.body) return null;
    const label = at instanceof HTMLInputElement ? at.labels?.[0]?.innerText : undefined;
    const name = at.getAttribute("aria-label") ?? (label ?? at.innerText).trim();
    const { outlineStyle, outlineColor, boxShadow } = getComputedStyle(at);
    const isRing = (style: string) => style !== "none" && style !== "hidden";
    // The ring may be around what stands for the element: its card, its field, its row.
    const around = [at.parentElement, at.closest("li, article, [data-card], [data-row], label")];
    // What only a screen reader finds shows no ring of its own.
    const isSeen = at.getBoundingClientRect().width > 2;
    const isMarked =
      (isSeen && isRing(outlineStyle) && !/, 0\)$/.test(outlineColor)) ||
      (isSeen && boxShadow !== "none") ||
      around.some((one) => one !== null && isRing(getComputedStyle(one).outlineStyle));
    return { name, role: at.getAttribute("role") ?? at.tagName.toLowerCase(), isMarked };
  });
}

/** Presses Tab until the element of this name has the focus. */
export async function tabTo(page: Page, name: string | RegExp) {
  const seen: string[] = [];
  for (let at = 0; at < MOST; at += 1) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    if (now === null) continue;
    if (typeof name === "string" ? now.name === name : name.test(now.name)) return now;
    seen.push(now.name);
  }
  throw new Error(`Tab leads to no ${String(name)}, only to: ${seen.join(" | ")}`);
}

/** Returns the names of all stops of Tab, with those that do not show the focus. */
export async function walk(page: Page) {
  const [all, unseen]: [Set<string>, Set<string>] = [new Set(), new Set()];
  for (let at = 0; at < MOST; at += 1) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    // Past the last stop, the browser has the focus.
    if (now === null) continue;
    const isAgain = await page.evaluate(
      () => document.activeElement?.toggleAttribute("data-walked") === false,
    );
    if (isAgain) break;
    const name = `${now.role} ${now.name}`;
    all.add(name);
    if (!now.isMarked) unseen.add(name);
  }
  return { all: [...all], unseen: [...unseen] };
}
