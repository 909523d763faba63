// The last line that a failed session printed: it names the problem more often than the failed command's name
// does.
import type { App } from "~/state/app.svelte";
import type { SessionSummary } from "~/wire/types";
import { lastWords } from "./last-words";

/** Lines to read for it; programs often end with empty lines. */
const LINES = 40;

/** Reads the line again when the session changes; "" until it is read, and if nothing was printed. */
export function lastLine(app: App, session: () => SessionSummary): { readonly text: string } {
  let text = $state("");
  $effect(() => {
    const { id, statusSince } = session();
    let wanted = statusSince !== "";
    app.call("getOutput", { id, lines: LINES }).then(
      (output) => wanted && (text = lastWords(output.text)),
      () => wanted && (text = ""),
    );
    return () => {
      wanted = false;
    };
  });
  return {
    get text() {
      return text;
    },
  };
}
