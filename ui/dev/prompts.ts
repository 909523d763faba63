// Made-up saved prompts.
import { written } from "~/features/prompts/saved";

const PROMPTS = [
  {
    name: "Commit in small steps",
    text: "Commit each step by itself, with a message that says why. Run the tests before each commit.",
  },
  {
    name: "Explain the failure first",
    text: "Before you change anything:\n1. reproduce the failure,\n2. say which assumption was wrong,\n3. propose the smallest fix.",
  },
  { name: "Rebase", text: "Rebase onto main, solve the conflicts, and run the whole test suite." },
  {
    name: "Review for security, performance and names that say what a thing is and not how it is made",
    text: "Read the diff as a reviewer who has never seen this code.",
  },
  { name: "ドキュメント", text: "公開されている関数のドキュメントを書いてください。" },
];

/** Returns the preferences that hold them. */
export const savedPrompts = () => written(PROMPTS) ?? {};
