// All terminals of this window: the visible one, and parked ones that were shown recently. Those keep their
// screen, scroll position and connection; older ones are dropped and restored from a snapshot.

import type { Platform } from "~/platform/types";
import type { TerminalText } from "./font";
import type { Place } from "./places";
import { Recent } from "./recent";
import { SessionTerminal } from "./session-terminal.svelte";
import { Spare } from "./spare";
import { watchTheme } from "./theme";
import { makeXterm } from "./xterm";

/**
 * The maximum number of parked terminals. Switching between a conductor and its workers finds each as it was;
 * at about 15 MB with full scrollback each, more would cost more than a snapshot does.
 */
const PARKED_AT_MOST = 6;

/** Longest wait for the terminal's font: measuring with another one would misplace every cell. */
const FONT_MS = 1500;

export class Terminals {
  #platform: Platform;
  #shown = new Map<string, SessionTerminal>();
  #parked = new Recent<SessionTerminal>(PARKED_AT_MOST, (_id, terminal) => terminal.dispose());
  #text: TerminalText = { size: 13, font: null };
  #spare = new Spare();
  #live: (sessionId: string) => boolean | null = () => null;
  #unwatch: () => void;
  /** Called for each text that a program put on the clipboard. */
  copied: (sessionId: string) => void = () => undefined;
  /** Called for files that were pasted into a terminal. */
  pastedFiles: (sessionId: string, files: File[]) => void = () => undefined;

  /** Called for a place in a file that was clicked in a terminal. */
  openPlace: (sessionId: string, place: Place) => void = () => undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#unwatch = watchTheme(() => {
      for (const [, terminal] of this.#all()) terminal.screen.retheme();
      this.#spare.renew(this.#text);
    });
    // With another font in its place, one would keep the wrong widths.
    void terminalFont().then((isThere) => {
      if (isThere) this.#spare.begin(this.#text);
    });
  }

  /** Returns the terminal of a session to be shown; `park` parks it again. */
  take(sessionId: string): SessionTerminal {
    const terminal =
      this.#shown.get(sessionId) ?? this.#parked.take(sessionId) ?? this.#create(sessionId);
    terminal.live = this.#live(sessionId) ?? false;
    this.#shown.set(sessionId, terminal);
    return terminal;
  }

  #create(sessionId: string): SessionTerminal {
    const xterm = this.#spare.take() ?? makeXterm(this.#text);
    this.#spare.prepare(this.#text);
    return new SessionTerminal(this.#platform, sessionId, xterm, {
      copied: () => this.copied(sessionId),
      pastedFiles: (files) => this.pastedFiles(sessionId, files),
      openPlace: (place) => this.openPlace(sessionId, place),
    });
  }

  /** Returns the existing terminal of a session, if there is one. */
  peek(sessionId: string): SessionTerminal | undefined {
    return this.#shown.get(sessionId) ?? this.#parked.get(sessionId);
  }

  park(sessionId: string): void {
    const terminal = this.#shown.get(sessionId);
    if (!terminal) return;
    this.#shown.delete(sessionId);
    terminal.park();
    this.#parked.put(sessionId, terminal);
  }

  /**
   * Updates all terminals: `live` returns whether a session may be alive (true), is over (false) or no longer
   * exists (null).
   */
  follow(live: (sessionId: string) => boolean | null): void {
    this.#live = live;
    for (const [id, terminal] of this.#all()) {
      const alive = live(id);
      if (alive !== null) terminal.live = alive;
      else if (!this.#shown.has(id)) this.#parked.take(id)?.dispose();
    }
  }

  set text(text: TerminalText) {
    if (text.size === this.#text.size && text.font === this.#text.font) return;
    this.#text = text;
    for (const [, terminal] of this.#all()) terminal.text = text;
    this.#spare.prepare(text);
  }

  dispose(): void {
    this.#unwatch();
    this.#spare.end();
    for (const [, terminal] of this.#all()) terminal.dispose();
  }

  #all(): [string, SessionTerminal][] {
    return [...this.#shown, ...this.#parked.entries()];
  }
}

/** Signs of the symbol fonts: a terminal that draws one before its font is loaded keeps the empty box. */
const SIGNS = "⎿⏺✻⠂❯";

let font: Promise<boolean> | undefined;

/** Resolves when the terminal's font can be measured (true), or when waiting longer is pointless. */
export function terminalFont(): Promise<boolean> {
  font ??= loadedFont().catch(() => false);
  return font;
}

function loadedFont(): Promise<boolean> {
  const family = getComputedStyle(document.documentElement).getPropertyValue("--mono");
  const loaded = Promise.all([
    document.fonts.load(`13px ${family}`),
    document.fonts.load(`600 13px ${family}`),
    document.fonts.load(`13px ${family}`, SIGNS),
  ]);
  const late = new Promise<boolean>((done) => setTimeout(() => done(false), FONT_MS));
  return Promise.race([loaded.then(() => true), late]);
}
