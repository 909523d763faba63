// The last line that a failed session printed: what went wrong is in it more often than in the name of
// the command that failed.
import type { App } from "~/state/app.svelte";
import type { Session } from "~/wire/types";
import { lastWords } from "./last-words";

/** Lines that are read for it; programs end with empty ones. */
const LINES = 40;

/** Reads it while the session stays as it is; "" until then, and where nothing was printed. */
export function lastLine(app: App, session: () => Session): { readonly text: string } {
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
