// One session's terminal as the views see it: a screen, a connection, and a claim to the size, with
// their state for display. It outlives the views while parked.

import { untrack } from "svelte";
import type { Platform } from "~/platform/types";
import type { TerminalText } from "./font";
import { Line, type LineState } from "./line";
import type { Place } from "./places";
import { Screen } from "./screen";
import { SizeClaim, type Size } from "./size";
import type { Xterm } from "./xterm";

/** A drag of the window's edge requests a size at most this often: each costs a redraw. */
const RESIZE_EVERY_MS = 60;

/** What a terminal asks of the application around it. */
export interface TerminalUse {
  /** A program put text on the clipboard. */
  copied: () => void;
  /** Files were pasted, which a terminal cannot type. */
  pastedFiles: (files: File[]) => void;
  /** The person clicked a place in a file. */
  openPlace: (place: Place) => void;
}

export class SessionTerminal {
  line = $state<LineState>("closed");
  /** Why the connection is not open. */
  reason = $state("");
  /** Whether its screen was drawn since the terminal was created. */
  drawn = $state(false);
  exitCode = $state<number | null>(null);
  /** Whether the screen alone was drawn. */
  #previewed = false;
  #live = $state(false);
  /**
   * Whether no program draws here any more, so that this viewer alone decides the layout of the
   * last screen.
   */
  readonly over = $derived(
    this.drawn && !this.#live && (this.exitCode !== null || this.line === "closed"),
  );
  /** The number of lines between the view and the end. */
  above = $state(0);
  size = $state<Size | null>(null);
  letterboxed = $state(false);
  link = $state<string | null>(null);
  readonly screen: Screen;
  #line: Line;
  #claim = new SizeClaim();
  #layout: ResizeObserver;
  #fitTimer: ReturnType<typeof setTimeout> | undefined;
  #taken: (event: KeyboardEvent) => boolean = () => false;

  constructor(platform: Platform, sessionId: string, xterm: Xterm, use: TerminalUse) {
    this.screen = new Screen(
      {
        mac: platform.system === "mac",
        taken: (event) => this.#taken(event),
        typed: (data) => this.#typed(data),
        focused: () => this.#ask(this.#claim.claim()),
        scrolled: (above) => (this.above = above),
        hovered: (address) => (this.link = address),
        copy: (text) => void platform.copy(text).catch(() => undefined),
        programCopies: (text) => void platform.copy(text).then(use.copied, () => undefined),
        pastedFiles: use.pastedFiles,
        openPlace: use.openPlace,
        openUrl: (address) => void platform.openUrl(address).catch(() => undefined),
      },
      xterm,
    );
    this.#line = new Line(
      (handlers) => platform.openTerminal(sessionId, handlers),
      this.screen,
      {
        state: (state, reason) => {
          this.line = state;
          // The picture of a screen whose snapshot never came is not live.
          if (this.#previewed && (state === "lost" || state === "closed")) this.drawn = true;
          if (state !== "connecting") this.reason = reason;
          this.#fit();
        },
        previewed: () => (this.#previewed = true),
        sized: (cols, rows, first) => this.#sized({ cols, rows }, first),
        exited: (code) => {
          this.exitCode = code;
          this.#fit();
        },
      },
      false,
    );
    this.#layout = new ResizeObserver(() => this.#laidOut());
  }

  /** Shows the terminal in `parent`. `taken` returns whether the application wants a key. */
  show(parent: HTMLElement, taken: (event: KeyboardEvent) => boolean): void {
    this.#taken = taken;
    this.screen.show(parent);
    this.#layout.observe(parent);
    this.#fit();
    this.#line.nudge();
  }

  /** Lets this viewer decide the size from now on, as if the person had focused the terminal. */
  claim(): void {
    this.#ask(this.#claim.claim());
  }

  /** Removes the terminal from the page; output is still drawn, at the current size. */
  park(): void {
    clearTimeout(this.#fitTimer);
    this.#fitTimer = undefined;
    this.#layout.disconnect();
    this.#claim.park();
    this.link = null;
    this.screen.hide();
  }

  /** Whether the session's process may live: a broken connection is then retried. */
  set live(live: boolean) {
    this.#live = live;
    this.#line.persistent = live;
    this.#fit();
  }

  get live(): boolean {
    return this.#live;
  }

  /** Retries now, after an event of the session that makes success likely. */
  nudge(): void {
    this.#line.nudge();
  }

  set text(text: TerminalText) {
    this.screen.text = text;
    this.#fit();
  }

  dispose(): void {
    this.park();
    this.#line.stop();
    this.screen.dispose();
  }

  #typed(data: Uint8Array): void {
    this.#ask(this.#claim.claim());
    this.#line.type(data);
  }

  #sized(size: Size, first: boolean): void {
    this.size = size;
    this.drawn = true;
    this.#ask(this.#claim.told(size, first));
    this.letterboxed = this.#claim.letterboxed;
  }

  /** Applies the first change immediately, further ones at most every RESIZE_EVERY_MS. */
  #laidOut(): void {
    if (this.#fitTimer !== undefined) return;
    this.#fit();
    this.#fitTimer = setTimeout(() => {
      this.#fitTimer = undefined;
      this.#fit();
    }, RESIZE_EVERY_MS);
  }

  #fit(): void {
    if (!this.screen.element.isConnected) return;
    const fits = this.screen.fits();
    this.#ask(this.#claim.space(fits));
    const over = untrack(() => this.over);
    if (over && fits !== null) this.screen.rest(fits);
    else if (!over && this.#claim.current !== null) this.screen.goOn(this.#claim.current);
    this.letterboxed = over ? this.screen.isFixed : this.#claim.letterboxed;
  }

  #ask(size: Size | null): void {
    if (size) this.#line.resize(size.cols, size.rows);
  }
}
