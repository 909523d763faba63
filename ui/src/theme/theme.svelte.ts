// Which theme shows. The choice lives in the settings. Before they are read, the page that an engine
// served says it itself, and a copy in local storage does in a window, so that no wrong theme flashes.
import type { Theme } from "~/wire/types";

const KEY = "downbeat.theme";

function isTheme(value: string | null): value is Theme {
  return value === "system" || value === "light" || value === "dark";
}

export class ThemeState {
  choice = $state<Theme>("system");
  #dark = window.matchMedia("(prefers-color-scheme: dark)");
  #systemDark = $state(this.#dark.matches);
  shown: "light" | "dark" = $derived(
    this.choice === "system" ? (this.#systemDark ? "dark" : "light") : this.choice,
  );

  constructor() {
    const served = document.documentElement.dataset.theme ?? null;
    const stored = localStorage.getItem(KEY);
    if (isTheme(served)) this.choice = served;
    else if (isTheme(stored)) this.choice = stored;
    this.#dark.addEventListener("change", (event) => {
      this.#systemDark = event.matches;
      this.#apply();
    });
    this.#apply();
  }

  choose(theme: Theme) {
    this.choice = theme;
    localStorage.setItem(KEY, theme);
    this.#apply();
  }

  /** Only what differs: whoever watches would draw everything anew. */
  #apply() {
    const root = document.documentElement;
    if (root.dataset.theme !== this.shown) root.dataset.theme = this.shown;
  }
}
