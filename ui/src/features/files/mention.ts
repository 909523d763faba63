// Names of files in a prompt: finds the `@` that is being typed, and what to put in its place. Pure.

/** An `@` at the start of a word and the letters after it, up to the cursor. */
export interface Mention {
  /** Where the `@` is. */
  from: number;
  query: string;
}

/** A replacement in a text, and where the cursor is afterwards. */
export interface Edit {
  from: number;
  to: number;
  text: string;
  cursor: number;
}

/** Nobody types a path that is longer. */
const LONGEST = 1_000;

/** What may be before the `@`, and after it: letters without a blank, or behind a quote with blanks. */
const MENTION = /(?:^|[\s([{"'`])@(?:"([^"]*)|([^\s"]*))$/;

/** Returns the mention that ends at the cursor; null for none. An address such as `ada@example.com` is none. */
export function mentionAt(text: string, cursor: number): Mention | null {
  const start = Math.max(text.lastIndexOf("\n", cursor - 1) + 1, cursor - LONGEST);
  const match = MENTION.exec(text.slice(start, cursor));
  if (!match) return null;
  const before = match[0].startsWith("@") ? 0 : 1;
  const query = match[1] ?? match[2] ?? "";
  return { from: start + match.index + before, query: query.replaceAll("\\", "/") };
}

/** A file as agents read it in a prompt: paths with blanks are in quotes. */
export function mentionOf(path: string): string {
  return /\s/.test(path) ? `@"${path}"` : `@${path}`;
}

const isBlank = (letter: string | undefined) => letter !== undefined && /\s/.test(letter);

/** Replaces a mention by a file and a blank. Text right after the cursor stays. */
export function mentioned(text: string, mention: Mention, cursor: number, path: string): Edit {
  const own = mentionOf(path);
  const hasBlank = isBlank(text[cursor]);
  return {
    from: mention.from,
    to: cursor,
    text: hasBlank ? own : `${own} `,
    cursor: mention.from + own.length + 1,
  };
}

/** Puts words in place of a selection, with a blank on both sides. */
export function spaced(text: string, from: number, to: number, own: string): Edit {
  const before = from === 0 || isBlank(text[from - 1]) ? "" : " ";
  const after = isBlank(text[to]) ? "" : " ";
  const inserted = `${before}${own}${after}`;
  const passed = after === "" ? 1 : 0;
  return { from, to, text: inserted, cursor: from + inserted.length + passed };
}

/** Whether the letters occur in this order in the path, as the engine finds files. */
export function matches(path: string, query: string): boolean {
  let at = 0;
  const letters = path.toLowerCase();
  for (const letter of query.toLowerCase()) {
    at = letters.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
