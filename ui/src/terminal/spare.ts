// Keeps one xterm ready for the next session: opened, with its characters measured. Opening one and measuring take
// most of the time until a new terminal's screen is painted. The spare one has never had a session; it is made while
// the page is idle, and is not in the document while it waits.

import type { Terminal } from "@xterm/xterm";
import xtermStyle from "@xterm/xterm/css/xterm.css?inline";
import type { TerminalText } from "./font";
import { makeXterm, type Xterm } from "./xterm";
import ownStyle from "./xterm.css?inline";

/** How long after the last terminal was taken the next one is made, at the earliest: that one's snapshot comes first. */
const REST_MS = 300;

/** How long a busy page may delay it. */
const DELAY_MS = 5000;

/** Longest wait for the picture of the sample, which a hidden page does not draw. */
const DRAWN_MS = 2000;

/** The characters that are measured beforehand: those of code and prose, and of the frames that agents draw. */
const SAMPLE =
  Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n)).join("") + "─│╭╮╰╯├┤•…✓❯›⏺⎿";

/** The same characters as they are measured separately: regular and bold. */
const DRAWN_SAMPLE = `${SAMPLE}\r\n\x1b[1m${SAMPLE}\x1b[0m`;

export class Spare {
  #ready: Xterm | null = null;
  #text: TerminalText | null = null;
  /** Whether one is kept: not before the font is there, and not after the end. */
  #isKept = false;
  #isOver = false;
  /** Counts the requests: an xterm that was made for an earlier text or theme is dropped. */
  #turn = 0;

  /** Keeps one ready from now on. */
  begin(text: TerminalText): void {
    this.#isKept = !this.#isOver;
    this.prepare(text);
  }

  /** Returns the spare xterm, already open; null if there is none. */
  take(): Xterm | null {
    const ready = this.#ready;
    this.#ready = null;
    return ready;
  }

  /** Makes one for this text once the page is idle, unless there is one. */
  prepare(text: TerminalText): void {
    if (!this.#isKept || (this.#ready && this.#text === text)) return;
    this.renew(text);
  }

  /** Replaces the spare one, and the one that is being made. */
  renew(text: TerminalText): void {
    this.#drop();
    if (!this.#isKept) return;
    this.#text = text;
    const turn = this.#turn;
    whenIdle(() => void this.#make(text, turn));
  }

  /** Keeps none from now on. */
  end(): void {
    this.#drop();
    [this.#isKept, this.#isOver] = [false, true];
  }

  #drop(): void {
    this.#turn += 1;
    this.take()?.term.dispose();
  }

  async #make(text: TerminalText, turn: number): Promise<void> {
    if (turn !== this.#turn) return;
    const made = makeXterm(text);
    const isGood = await measured(made).then(
      () => turn === this.#turn,
      () => false,
    );
    if (isGood) this.#ready = made;
    else made.term.dispose();
  }
}

/** Opens an xterm and draws the sample where nobody sees it, and where what looks for a terminal in the page finds none. */
async function measured({ term, element }: Xterm): Promise<void> {
  const stage = document.createElement("div");
  stage.className = "terminal-stage";
  stage.inert = true;
  const style = document.createElement("style");
  style.textContent = xtermStyle + ownStyle;
  stage.attachShadow({ mode: "closed" }).append(style, element);
  document.body.append(stage);
  try {
    term.open(element);
    await drawnSample(term);
    term.reset();
  } finally {
    element.remove();
    stage.remove();
  }
}

function drawnSample(term: Terminal): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, DRAWN_MS);
    // Characters are measured when they are drawn, after they are parsed.
    term.write(DRAWN_SAMPLE, () => {
      const rendered = term.onRender(() => {
        rendered.dispose();
        done();
      });
    });
  });
}

function whenIdle(run: () => void): void {
  setTimeout(() => {
    // Safari and WebKitGTK do not have it.
    if ("requestIdleCallback" in window) requestIdleCallback(run, { timeout: DELAY_MS });
    else run();
  }, REST_MS);
}
