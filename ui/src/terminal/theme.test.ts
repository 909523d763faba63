// @vitest-environment node
/// <reference types="node" />
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { AA, contrast, mix, readable, type Rgb } from "./colours";
import { terminalTheme, type TokenColours } from "./theme";

const parse = (text: string): Rgb => {
  const [red = 0, green = 0, blue = 0] = (/^#(..)(..)(..)$/.exec(text) ?? [])
    .slice(1)
    .map((part) => parseInt(part, 16));
  return [red, green, blue];
};

/** The real tokens of the style sheet. */
function tokens(theme: "dark" | "light"): TokenColours {
  const css = readFileSync(new URL("../theme/tokens.css", import.meta.url), "utf8");
  const block = css.slice(css.indexOf(`[data-theme="${theme}"]`));
  const read = (name: string) => parse(new RegExp(`${name}: (#\\w{6});`).exec(block)?.[1] ?? "");
  return {
    bg: read("--bg"),
    raise: read("--bg-raise"),
    fg: read("--fg"),
    fg2: read("--fg-2"),
    fg3: read("--fg-3"),
    line: read("--line-strong"),
    accent: read("--accent"),
    work: read("--work"),
    need: read("--need"),
    bad: read("--bad"),
    review: read("--review"),
    ready: read("--ready"),
  };
}

describe.each(["dark", "light"] as const)("%s", (name) => {
  const colours = tokens(name);
  const theme = terminalTheme(colours);

  test.each([
    "foreground",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "brightBlack",
    "brightRed",
    "brightGreen",
    "brightYellow",
    "brightBlue",
    "brightMagenta",
    "brightCyan",
  ] as const)("%s is readable on the ground", (part) => {
    expect(contrast(parse(theme[part] ?? ""), colours.bg)).toBeGreaterThanOrEqual(AA);
  });

  test("selected text stays readable", () => {
    expect(contrast(parse(theme.selectionBackground ?? ""), colours.fg)).toBeGreaterThanOrEqual(AA);
  });

  test("the sixteen colours are distinct", () => {
    const sixteen = Object.entries(theme).filter(([key]) =>
      /^(bright)?(black|red|green|yellow|blue|magenta|cyan|white)$/i.test(key),
    );
    expect(new Set(sixteen.map(([, value]) => value as string)).size).toBe(16);
  });
});

test("a colour is moved only as far as necessary", () => {
  const black: Rgb = [0, 0, 0];
  expect(readable([200, 200, 200], black)).toEqual([200, 200, 200]);
  const mended = readable([40, 0, 0], black);
  expect(contrast(mended, black)).toBeGreaterThanOrEqual(AA);
  expect(contrast(mended, black)).toBeLessThan(AA + 0.2);
  expect(mix([0, 0, 0], [100, 200, 50], 0.5)).toEqual([50, 100, 25]);
});
