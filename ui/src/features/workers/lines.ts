// The last lines of a terminal's text, as a card shows them. Pure.

/** Lines a card shows: enough for a question with its answers. */
export const SHOWN_LINES = 7;

/** Lines asked for: prompts are framed by rules and blanks that are not worth showing. */
export const ASKED_LINES = 24;

/** Rules and frames that terminal programs draw around their prompt. */
const FRAME = /^[\s─━═╭╮╰╯│┃┌┐└┘|_-]*$/;

/** The last lines that say something, oldest first. */
export function lastLines(text: string, most = SHOWN_LINES): string[] {
  const telling = text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => !FRAME.test(line));
  return telling.slice(-most);
}
