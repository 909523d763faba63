// The current theme. The choice is in the settings. Before they are read, the theme comes from the page
// itself if an engine served it, and from a copy in local storage in a window, so that no wrong theme
// flashes.
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

  /** Changes the page only if the theme differs, since observers redraw everything. */
  #apply() {
    const root = document.documentElement;
    if (root.dataset.theme !== this.shown) root.dataset.theme = this.shown;
  }
}
