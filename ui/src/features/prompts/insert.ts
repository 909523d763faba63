// Inserts a saved prompt into a field, at the cursor. What is selected stays: nothing would bring it back.
import { apply } from "~/features/files/field";
import { apart, type Prompt } from "./saved";

export function insertPrompt(field: HTMLTextAreaElement, prompt: Prompt): void {
  if (field.readOnly) return;
  const at = field.selectionEnd;
  const text = apart(field.value, at, prompt.text);
  apply(field, { from: at, to: at, text, cursor: at + text.length });
}
