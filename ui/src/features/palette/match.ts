// Scores how well a query matches a text. A word matches at the beginning of a word, inside one, or as
// beginnings of several words (`shs` finds `Show or hide the sidebar`). Scattered letters do not match, or
// everything would match everything. Pure.

/** An item to match: its title, and other words for it, which count less. */
export interface Findable {
  title: string;
  others?: readonly string[];
}

const FIT = { whole: 100, first: 90, begin: 75, inside: 45, initials: 40 };
const OTHER = 0.6;
/** Shorter matches inside a word are coincidences: `ti` inside `notices`. */
const LEAST_INSIDE = 3;

const isBreak = (text: string, at: number) => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "");

/** Whether the letters of `word` are, in order, taken from the beginnings of words. */
function isInitials(word: string, text: string): boolean {
  // All possible numbers of letters matched so far; `run` holds those that end at the previous letter.
  const taken = new Set([0]);
  let run = new Set<number>();
  for (let at = 0; at < text.length; at += 1) {
    const from = isBreak(text, at) ? [...taken] : [...run];
    run = new Set(from.filter((count) => word[count] === text[at]).map((count) => count + 1));
    for (const count of run) taken.add(count);
  }
  return taken.has(word.length);
}

function fit(word: string, text: string): number {
  let inside = -1;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (isBreak(text, at)) return text === word ? FIT.whole : at === 0 ? FIT.first : FIT.begin;
    inside = at;
  }
  if (inside !== -1 && word.length >= LEAST_INSIDE) return FIT.inside;
  return word.length > 1 && isInitials(word, text) ? FIT.initials : 0;
}

/** Returns which of the other words matched, if the title alone does not. */
export function meant(query: string, { title, others = [] }: Findable): string | null {
  if (query.trim() === "" || score(query, { title }) > 0) return null;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const own = title.toLowerCase();
  const found = others.filter((text) =>
    words.some((word) => !own.includes(word) && text.toLowerCase().includes(word)),
  );
  return found[0] ?? null;
}

/**
 * Returns 0 if some word of the query does not match; higher is better. An empty query matches everything.
 */
export function score(query: string, { title, others = [] }: Findable): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const own = title.toLowerCase();
  const rest = others.map((text) => text.toLowerCase());
  // Initials count only in a title: elsewhere nobody sees what they stand for.
  const aside = (word: string, text: string) => (text.includes(word) ? OTHER * fit(word, text) : 0);
  const fits = words.map((word) =>
    Math.max(fit(word, own), ...rest.map((text) => aside(word, text))),
  );
  if (fits.some((one) => one === 0)) return 0;
  const whole = words.length > 1 && own.includes(words.join(" ")) ? FIT.inside : 0;
  // Among equal scores the shorter title is the more precise match.
  return fits.reduce((sum, one) => sum + one, whole + 1 / (1 + own.length));
}
