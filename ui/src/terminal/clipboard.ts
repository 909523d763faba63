// Text between the clipboard and a terminal. A program may write the clipboard (OSC 52) and can
// never read it: a request to read gets no answer at all, which is why the ready-made add-on,
// which would answer with an empty text, is not used.

/** Most text that a program may put on the clipboard at once. A large file, but no flood. */
const MOST = 1 << 20;

/**
 * The text that an OSC 52 sequence wants on the clipboard; null where it asks to read, means
 * another clipboard than the system's, is malformed, or is too long.
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
 * Pasted text with everything taken out that a terminal would read as a command, above all the
 * end of a bracketed paste: what follows it would run as if it had been typed.
 */
export function harmlessPaste(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, "");
}
