// Keys that are pressed for a dialog while its code is still on the way. They are meant for it: none
// reaches what lies behind, and what was typed stands in its first field once it is there.

/** Longer than anybody types ahead; what comes after is dropped. */
const MOST = 200;

type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "getModifierState">;

export class HeldKeys {
  #keys: string[] = [];

  /** Takes a press; whether it was one of these keys, which then goes nowhere else. */
  take(pressed: Pressed): boolean {
    const { key } = pressed;
    // Windows tells AltGr, with which `@` and `{` are typed, as Ctrl and Alt.
    const types = pressed.getModifierState("AltGraph");
    if ((pressed.ctrlKey || pressed.metaKey || pressed.altKey) && !types) return false;
    if (key === "Backspace") this.#keys.pop();
    // Keys that type nothing, and those of a composition, which does not begin then, have longer names.
    else if (/^.$/u.test(key) && this.#keys.length < MOST) this.#keys.push(key);
    return true;
  }

  /** Types what was held into a field, as keys would; into nothing else. */
  release(into: Element | null): void {
    const text = this.#keys.join("");
    this.#keys = [];
    if (text === "") return;
    if (!(into instanceof HTMLInputElement || into instanceof HTMLTextAreaElement)) return;
    into.setRangeText(text, into.selectionStart ?? 0, into.selectionEnd ?? 0, "end");
    into.dispatchEvent(new InputEvent("input", { bubbles: true, data: text }));
  }
}
