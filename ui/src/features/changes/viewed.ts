// The changes that the person marked as viewed, by their content: a file that changes again is not viewed any
// more. Kept as one text of bounded length, the oldest marks first. Pure.

/** The digits of a mark; 64 bits would be no safer against an accident. */
const DIGITS = 10;

/** The marks that fit into one kept value. */
const MOST = 360;

export function parse(text: string | null): string[] {
  return (text ?? "").match(new RegExp(`[0-9a-f]{${DIGITS}}`, "g")) ?? [];
}

const markOf = (contentId: string) => contentId.slice(0, DIGITS);

export function has(marks: readonly string[], contentId: string | null): boolean {
  return contentId !== null && marks.includes(markOf(contentId));
}

/** Adds or removes a mark. */
export function mark(marks: readonly string[], contentId: string, viewed: boolean): string[] {
  const own = markOf(contentId);
  const others = marks.filter((other) => other !== own);
  return viewed ? [...others, own].slice(-MOST) : others;
}

export const written = (marks: readonly string[]) => marks.join("");
