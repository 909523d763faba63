// Extracts the part of a snapshot that fills the screen, so that it can be drawn before thousands of lines
// above it are parsed. Pure. The result is only a temporary picture: the whole snapshot replaces it.

/** Snapshots with fewer bytes than this are drawn whole. */
const LONG = 128 * 1024;

/** Twice as many lines as rows: a row may span several lines of a snapshot, and a line several rows. */
const SPARE = 2;

const ESC = 0x1b;
const LINE_FEED = 0x0a;
const QUESTION_MARK = 0x3f;
const ALTERNATE = new TextEncoder().encode("\x1b[?1049h");

/**
 * Returns the bytes of a snapshot that draw a screen with this many rows; null if the snapshot is short. A
 * keeper writes titles and colours first, then the primary screen's rows, each from its line's beginning with
 * default attributes, then the alternate screen, and at the end the modes and the cursor.
 */
export function screenful(snapshot: Uint8Array, rows: number): Uint8Array | null {
  if (snapshot.length < LONG) return null;
  const colours = snapshot.subarray(0, afterStrings(snapshot));
  const from = alternateScreen(snapshot) ?? lastLines(snapshot, rows * SPARE);
  if (from <= colours.length) return null;
  const out = new Uint8Array(colours.length + snapshot.length - from);
  out.set(colours);
  out.set(snapshot.subarray(from), colours.length);
  return out;
}

/** Returns the end of the sequences that begin a snapshot: titles, their stack, colours. */
function afterStrings(snapshot: Uint8Array): number {
  let at = 0;
  while (snapshot[at] === ESC) {
    const end = snapshot[at + 1] === 0x5d ? endOfString(snapshot, at) : endOfStack(snapshot, at);
    if (end === null) break;
    at = end;
  }
  return at;
}

/** Returns the index after the `ESC \` of an OSC string; stops at links (OSC 8), which belong to text. */
function endOfString(snapshot: Uint8Array, at: number): number | null {
  if (snapshot[at + 2] === 0x38) return null;
  for (let end = at + 2; end + 1 < snapshot.length; end += 1) {
    if (snapshot[end] === ESC) return snapshot[end + 1] === 0x5c ? end + 2 : null;
  }
  return null;
}

/** Returns the index after `CSI 22 ; 2 t`, which pushes a title on its stack. */
function endOfStack(snapshot: Uint8Array, at: number): number | null {
  const push = "\x1b[22;2t";
  for (let n = 0; n < push.length; n += 1) {
    if (snapshot[at + n] !== push.charCodeAt(n)) return null;
  }
  return at + push.length;
}

/** Returns where the alternate screen begins; null if there is none. Looks for the question mark of its sequence, which
 * is rarer than escapes: a snapshot of a megabyte has a hundred thousand of those. */
function alternateScreen(snapshot: Uint8Array): number | null {
  for (let mark = snapshot.length; mark > 0;) {
    mark = snapshot.lastIndexOf(QUESTION_MARK, mark - 1);
    if (mark < 0) return null;
    const at = mark - ALTERNATE.indexOf(QUESTION_MARK);
    if (ALTERNATE.every((byte, n) => snapshot[at + n] === byte)) return at;
  }
  return null;
}

/** Returns the start of the last `lines` lines; 0 if there are fewer. */
function lastLines(snapshot: Uint8Array, lines: number): number {
  let at = snapshot.length;
  for (let n = 0; n < lines && at > 0; n += 1) at = snapshot.lastIndexOf(LINE_FEED, at - 1);
  return at < 0 ? 0 : at + 1;
}
