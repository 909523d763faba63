// The last lines of a terminal's text, as a card shows them. Pure.

/** Lines a card shows: enough for a question with its answers. */
export const SHOWN_LINES = 7;

/**
 * Lines to read: a whole screen, since agents keep their prompt at the bottom, below blank lines.
 */
export const ASKED_LINES = 60;

/** Lines with only rules and frames around a prompt, or with an empty prompt. */
const FRAME = /^[\s─━═╌┄┈╭╮╰╯│┃┌┐└┘|_❯›-]*$/;

/** A picture of quarter blocks at the beginning of a line: an agent's logo. */
const PICTURE = /^\s*(?=[\u2580-\u259F]*[▖-▟])[\u2580-\u259F]+(?:\s+[\u2580-\u259F]+)*\s*/;

/** A line indented this far is a note at the screen's right edge. */
const ASIDE = /^\s{40,}\S/;

/** A horizontal rule across the screen. */
const RULE = /^\s*[╭╰┌└]?[─━═]{8,}[╮╯┐┘]?\s*$/;

/** Maximum lines of a prompt between its rules, and of hints below them. */
const PROMPT_LINES = 8;
const HINT_LINES = 3;

/** Returns the lines above the prompt at the bottom of the screen; all lines if there is none. */
function abovePrompt(lines: string[]): string[] {
  const bottom = lines.findLastIndex((line) => RULE.test(line));
  const top = lines.slice(0, Math.max(0, bottom)).findLastIndex((line) => RULE.test(line));
  const hints = lines.slice(bottom + 1).filter((line) => !FRAME.test(line));
  if (top < 0 || bottom - top > PROMPT_LINES || hints.length > HINT_LINES) return lines;
  const above = lines.slice(0, top);
  return above.some((line) => !FRAME.test(line)) ? above : lines;
}

/** Returns the last lines with content, oldest first. */
export function lastLines(text: string, most = SHOWN_LINES): string[] {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const telling = abovePrompt(lines)
    .map((line) => line.replace(PICTURE, ""))
    .filter((line) => !FRAME.test(line));
  const said = telling.filter((line) => !ASIDE.test(line));
  return (said.length > 0 ? said : telling.map((line) => line.trimStart())).slice(-most);
}
