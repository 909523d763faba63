import { beforeEach, expect, it } from "vitest";
import { ThemeState } from "./theme.svelte";

const root = document.documentElement;

beforeEach(() => {
  localStorage.clear();
  delete root.dataset.theme;
});

it("starts with the theme that the page was served with, else with the last one used here", () => {
  localStorage.setItem("downbeat.theme", "dark");
  expect(new ThemeState().choice).toBe("dark");
  root.dataset.theme = "light";
  expect(new ThemeState().choice).toBe("light");
  root.dataset.theme = "system";
  const theme = new ThemeState();
  expect(theme.choice).toBe("system");
  // From now on, the theme on the page is the one that is drawn.
  expect(root.dataset.theme).toBe(theme.shown);
});
