// Reduces a program's output to its most informative line. Pure.

/** A line with content: letters or digits, not only a frame or a prompt sign. */
const SAYS = /[\p{L}\p{N}]{2}/u;
/** Symbols that terminals draw before a line: bullets, corners, prompt signs. */
const DRAWN = /^(?:[\p{So}|>❯›•]+\s+)+/u;
/** Words that name an error; the last line is often only the path of a log. */
const WRONG =
  /\b(error|fail(ed|ure)?|fatal|cannot|could not|denied|not found|no such|panic(ked)?)\b/i;

/** Returns the last line that names an error, else the last line with content. */
export function lastWords(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.trim().replace(DRAWN, ""))
    .filter((line) => SAYS.test(line));
  return lines.findLast((line) => WRONG.test(line)) ?? lines.at(-1) ?? "";
}
