// Comments on lines, and the one message for the agent that they become. Pure.
import type { LineComment } from "~/wire/types";
import type { Sign } from "./lines";

export interface Comment {
  id: number;
  path: string;
  /** The number of the line in the file after, or before if the line was removed. */
  line: number;
  sign: Sign;
  /** The line itself. */
  quote: string;
  text: string;
}

/** Comments as text, and back; of a text from elsewhere, what is a comment. */
export const written = (comments: readonly Comment[]) =>
  comments.length === 0 ? "" : JSON.stringify(comments);

export function parse(text: string): Comment[] {
  try {
    const all: unknown = JSON.parse(text);
    return Array.isArray(all) ? all.filter(isComment) : [];
  } catch {
    return [];
  }
}

function isComment(value: unknown): value is Comment {
  if (typeof value !== "object" || value === null) return false;
  const { id, path, line, sign, quote, text } = value as Record<keyof Comment, unknown>;
  const isPlace = typeof line === "number" && (sign === " " || sign === "+" || sign === "-");
  return isPlace && typeof id === "number" && [path, quote, text].every(isText);
}

const isText = (value: unknown) => typeof value === "string";

/** The longest quoted line. */
const QUOTED = 200;

const clean = (text: string) =>
  // eslint-disable-next-line no-control-regex -- what acts on a terminal does not belong into a message
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, "�");

/** Comments in the order of their places. */
function sorted(comments: readonly Comment[]): Comment[] {
  return [...comments].sort(
    (a, b) => a.path.localeCompare(b.path) || a.line - b.line || a.id - b.id,
  );
}

/** The comments as a review has them. */
export function asLineComments(comments: readonly Comment[]): LineComment[] {
  return sorted(comments).map(({ path, line, sign, quote, text }) => ({
    path,
    line,
    ...(sign === "-" ? { removed: true } : {}),
    quote,
    text: text.trim(),
  }));
}

/** The message, by file and line; what is said of the work as a whole comes first. */
export function message(comments: readonly Comment[], summary = ""): string {
  const parts = sorted(comments).map(({ path, line, sign, quote, text }) => {
    const where = `${clean(path)}:${line}${sign === "-" ? " (removed line)" : ""}`;
    const shown = clean(quote);
    const short = shown.length > QUOTED ? `${shown.slice(0, QUOTED)}…` : shown;
    return `${where}\n> ${sign}${short}\n${text.trim()}`;
  });
  const intro = comments.length === 1 ? "A comment on your changes:" : "Comments on your changes:";
  return [...(summary === "" ? [] : [summary]), intro, ...parts].join("\n\n");
}
