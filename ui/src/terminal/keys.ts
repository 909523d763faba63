// Keys that the terminal handles itself; all others belong to the agent or to the application's key
// table. Pure. On Linux and Windows a plain Ctrl+letter is never taken from the agent.

/** What to do with a key press. */
export type KeyAction =
  | { do: "type"; bytes: string }
  | { do: "copy" }
  | { do: "paste" }
  /** For the application's keys: xterm must not see it. */
  | { do: "leave" }
  /** For xterm. */
  | { do: "pass" };

/** The relevant part of a keyboard event. */
export type Press = Pick<
  KeyboardEvent,
  "key" | "code" | "ctrlKey" | "shiftKey" | "altKey" | "metaKey" | "type" | "isComposing"
>;

/** A newline in the prompt instead of submitting it: coding agents interpret Alt+Enter this way. */
const NEWLINE = "\x1b\r";

/** The character of Ctrl+_ and Ctrl+/. */
const UNDO = "\x1f";

const pass: KeyAction = { do: "pass" };

/** Decides about a key. `taken` is whether the application's key table has a use for it. */
export function keyAction(press: Press, mac: boolean, taken: boolean): KeyAction {
  if (press.isComposing || press.key === "Process") return pass;
  if (taken) return { do: "leave" };
  const plain = !press.ctrlKey && !press.altKey && !press.metaKey;
  if (press.key === "Enter" && press.shiftKey && plain) return { do: "type", bytes: NEWLINE };
  // Undo in shells and editors, which xterm does not send.
  if (press.key === "/" && press.ctrlKey && !press.altKey && !press.metaKey)
    return { do: "type", bytes: UNDO };
  const mod = mac
    ? press.metaKey && !press.ctrlKey && !press.shiftKey && !press.altKey
    : press.ctrlKey && press.shiftKey && !press.metaKey && !press.altKey;
  if (mod && press.code === "KeyC") return { do: "copy" };
  if (mod && press.code === "KeyV") return { do: "paste" };
  if (mac && press.metaKey) return { do: "leave" };
  return pass;
}
