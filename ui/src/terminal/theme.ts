// The terminal's colours, computed from the one set of tokens, so that a theme switch also changes
// the terminal. Every palette colour that programs use for text is made readable on the terminal's
// background. Programs' own colours (24 bit, or black on dark) are adjusted while drawing, by
// xterm's minimum contrast.

import type { ITheme } from "@xterm/xterm";
import type { ISearchOptions } from "@xterm/addon-search";
import { hex, mix, readable, type Rgb } from "./colours";

/** The tokens that the colours are computed from, with the names of their custom properties. */
const TOKENS = {
  bg: "--bg",
  raise: "--bg-raise",
  fg: "--fg",
  fg2: "--fg-2",
  fg3: "--fg-3",
  line: "--line-strong",
  accent: "--accent",
  work: "--work",
  need: "--need",
  bad: "--bad",
  review: "--review",
  ready: "--ready",
} as const;

export type TokenColours = Record<keyof typeof TOKENS, Rgb>;

/** How much brighter the bright colours are: a share of the foreground. */
const BRIGHTER = 0.28;

/** Returns the theme for xterm. Pure. */
export function terminalTheme(tokens: TokenColours): ITheme {
  const { bg, fg } = tokens;
  const text = (colour: Rgb) => hex(readable(colour, bg));
  const bright = (colour: Rgb) => hex(readable(mix(colour, fg, BRIGHTER), bg));
  const light = (bg[0] + bg[1] + bg[2]) / 3 > 127;
  return {
    background: hex(bg),
    foreground: hex(fg),
    cursor: hex(tokens.accent),
    cursorAccent: hex(bg),
    selectionBackground: hex(mix(bg, tokens.accent, 0.32)),
    selectionInactiveBackground: hex(mix(bg, tokens.accent, 0.18)),
    scrollbarSliderBackground: hex(mix(bg, fg, 0.14)),
    scrollbarSliderHoverBackground: hex(mix(bg, fg, 0.24)),
    scrollbarSliderActiveBackground: hex(mix(bg, fg, 0.34)),
    overviewRulerBorder: hex(bg),
    // Black and white are backgrounds as often as text, so they keep their place on the scale.
    black: hex(light ? fg : mix(bg, fg, 0.12)),
    white: hex(light ? mix(bg, fg, 0.14) : mix(fg, bg, 0.12)),
    brightWhite: hex(light ? mix(bg, fg, 0.05) : fg),
    brightBlack: text(tokens.fg3),
    red: text(tokens.bad),
    green: text(tokens.work),
    yellow: text(tokens.need),
    blue: text(tokens.accent),
    magenta: text(tokens.ready),
    cyan: text(tokens.review),
    brightRed: bright(tokens.bad),
    brightGreen: bright(tokens.work),
    brightYellow: bright(tokens.need),
    brightBlue: bright(tokens.accent),
    brightMagenta: bright(tokens.ready),
    brightCyan: bright(tokens.review),
  };
}

/** Returns the decorations of search matches. Pure. */
export function searchMarks(tokens: TokenColours): NonNullable<ISearchOptions["decorations"]> {
  const { bg, need, accent } = tokens;
  return {
    matchBackground: hex(mix(bg, need, 0.26)),
    matchOverviewRuler: hex(mix(bg, need, 0.6)),
    activeMatchBackground: hex(mix(bg, accent, 0.5)),
    activeMatchBorder: hex(accent),
    activeMatchColorOverviewRuler: hex(accent),
  };
}

/** Reads the current tokens. */
export function readTokens(root: Element = document.documentElement): TokenColours {
  const style = getComputedStyle(root);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const draw = canvas.getContext("2d", { willReadFrequently: true });
  const read = (name: string): Rgb => {
    if (!draw) return [128, 128, 128];
    draw.clearRect(0, 0, 1, 1);
    draw.fillStyle = style.getPropertyValue(name).trim();
    draw.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = draw.getImageData(0, 0, 1, 1).data;
    return [red, green, blue];
  };
  const entries = Object.entries(TOKENS).map(([key, name]) => [key, read(name)] as const);
  return Object.fromEntries(entries) as TokenColours;
}

/** Calls back after each theme switch. Returns a function that stops it. */
export function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
