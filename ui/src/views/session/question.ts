// Describes the kind of a question. Pure.
import type { QuestionKind } from "~/wire/types";

export const asksFor: Record<QuestionKind, string> = {
  permission: "Asks for permission",
  trust: "Asks whether to trust this folder",
  choice: "Asks you to choose",
  asks: "Asks you a question",
  blocked: "Cannot continue",
};
