// Holds keys that are pressed for a dialog while its code is loading. None reaches the elements behind it,
// and the text is typed into its first field once that exists.

/** More than anyone types ahead; further keys are dropped. */
const MOST = 200;

type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "getModifierState">;

export class HeldKeys {
  #keys: string[] = [];

  /** Takes a key press. Returns whether it was held or swallowed, so that nothing else handles it. */
  take(pressed: Pressed): boolean {
    const { key } = pressed;
    // Windows reports AltGr, which types `@` and `{`, as Ctrl and Alt.
    const types = pressed.getModifierState("AltGraph");
    if ((pressed.ctrlKey || pressed.metaKey || pressed.altKey) && !types) return false;
    if (key === "Backspace") this.#keys.pop();
    // Keys that type nothing, and keys of a composition, which is thereby suppressed, have longer names.
    else if (/^.$/u.test(key) && this.#keys.length < MOST) this.#keys.push(key);
    return true;
  }

  /** Types the held text into a field, as keys would; drops it for any other element. */
  release(into: Element | null): void {
    const text = this.#keys.join("");
    this.#keys = [];
    if (text === "") return;
    if (!(into instanceof HTMLInputElement || into instanceof HTMLTextAreaElement)) return;
    into.setRangeText(text, into.selectionStart ?? 0, into.selectionEnd ?? 0, "end");
    into.dispatchEvent(new InputEvent("input", { bubbles: true, data: text }));
  }
}
