// What a program said last, as one line. Pure.

/** A line of a terminal that says something: letters or digits, not only a frame or a prompt sign. */
const SAYS = /[\p{L}\p{N}]{2}/u;
/** What terminals draw before a line: bullets, corners, prompt signs. */
const DRAWN = /^(?:[\p{So}|>❯›•]+\s+)+/u;
/** Words of those that say what went wrong; the last line is often only where a log was written. */
const WRONG =
  /\b(error|fail(ed|ure)?|fatal|cannot|could not|denied|not found|no such|panic(ked)?)\b/i;

/** The last line that names an error, else the last one that says anything. */
export function lastWords(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.trim().replace(DRAWN, ""))
    .filter((line) => SAYS.test(line));
  return lines.findLast((line) => WRONG.test(line)) ?? lines.at(-1) ?? "";
}
