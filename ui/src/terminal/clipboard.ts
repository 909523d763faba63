// Text between the clipboard and a terminal. A program can write the clipboard (OSC 52) but never
// read it: a read request gets no answer at all. The ready-made add-on is not used, because it
// would answer with an empty text.

/** The most text that a program can put on the clipboard at once: a large file, but not a flood. */
const MOST = 1 << 20;

/**
 * Returns the text that an OSC 52 sequence puts on the clipboard; null if it is a read request, is
 * for another clipboard than the system's, is malformed, or is too long.
 */
export function clipboardText(data: string): string | null {
  const at = data.indexOf(";");
  if (at < 0) return null;
  const targets = data.slice(0, at);
  const content = data.slice(at + 1);
  if (targets !== "" && !targets.includes("c") && !targets.includes("s")) return null;
  if (content === "" || content === "?" || content.length > (MOST * 4) / 3) return null;
  try {
    const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Returns pasted text without control characters that a terminal would interpret, above all the end
 * of a bracketed paste: text after it would run as if it had been typed.
 */
export function harmlessPaste(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, "");
}
