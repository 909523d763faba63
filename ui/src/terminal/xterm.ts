// Makes an xterm with this application's options and theme, without a session. Not what a session adds to one
// (links, keys, queries): that is screen.ts.

import "@xterm/xterm/css/xterm.css";
import "./xterm.css";
import { Terminal } from "@xterm/xterm";
import { familyOf, type TerminalText } from "./font";
import { readTokens, terminalTheme, type TokenColours } from "./theme";

/** Lines above the screen, as many as the keeper's snapshot contains. About 15 MB when full. */
const SCROLLBACK = 10_000;

/** Factor to xterm's one line per wheel notch: agents print long answers. */
const WHEEL = 1.5;

/** An xterm, the colours that its theme was computed from, and the element that it is opened in. */
export interface Xterm {
  term: Terminal;
  tokens: TokenColours;
  element: HTMLElement;
}

/** Returns the value of `font-family` for a terminal's font. */
export function terminalFamily(font: string | null): string {
  return familyOf(font, getComputedStyle(document.documentElement).getPropertyValue("--mono"));
}

/** Makes an xterm that is not opened yet. */
export function makeXterm(text: TerminalText): Xterm {
  const tokens = readTokens();
  const element = document.createElement("div");
  element.className = "screen";
  const term = new Terminal({
    allowProposedApi: true,
    cursorBlink: false,
    cursorInactiveStyle: "outline",
    customGlyphs: true,
    drawBoldTextInBrightColors: false,
    fontFamily: terminalFamily(text.font),
    fontSize: text.size,
    fontWeightBold: "600",
    lineHeight: 1.1,
    logLevel: "off",
    macOptionIsMeta: false,
    minimumContrastRatio: 4.5,
    overviewRuler: { width: 10 },
    rescaleOverlappingGlyphs: true,
    scrollback: SCROLLBACK,
    scrollSensitivity: WHEEL,
    theme: terminalTheme(tokens),
  });
  return { term, tokens, element };
}
