// Draws a snapshot: first, if it came, the screen alone, then, hidden behind that picture, the whole snapshot.
// xterm cannot insert lines above others, so everything is written again; synchronized output mode holds the
// picture until the same screen appears with its scrollback. That mode is not ended by its sequence, because a
// snapshot may end in the middle of a sequence that the output continues.

import { holdScrollbar, showHeld } from "./still";

/** Longest wait for the preview's frame: a hidden window draws none. */
const FRAME_MS = 200;

const encoder = new TextEncoder();
/** Cancels a partial sequence, and resets. */
const ANEW = encoder.encode("\x18\x1bc");
/** The same, and holds the picture (synchronized output). */
const BEHIND = encoder.encode("\x18\x1bc\x1b[?2026h");

/** The part of xterm that a snapshot is drawn on. */
interface Paper {
  readonly rows: number;
  write(data: Uint8Array | string, done?: () => void): void;
  refresh?(start: number, end: number): void;
  onRender?(rendered: () => void): { dispose(): void };
}

export class Restore {
  #term: Paper;
  #isSeen: () => boolean;
  /** Counts snapshots: a later one replaces one that is still being drawn. */
  #turn = 0;
  #letGo: (() => void) | null = null;
  /** Resolves once the preview was shown; null if there is none. */
  #preview: Promise<void> | null = null;
  /** Whether nothing was drawn yet, so that there is nothing to reset. */
  #isNew = true;
  /** Whether a snapshot is being drawn. */
  isBusy = false;

  constructor(term: Paper, isSeen: () => boolean) {
    this.#term = term;
    this.#isSeen = isSeen;
  }

  /** Draws the screen alone, of the terminal's size, until its snapshot is drawn. */
  preview(screen: Uint8Array): void {
    if (!this.#isSeen()) return;
    this.#letGo ??= holdScrollbar(this.#term);
    const bytes = this.#isNew ? screen : joined(ANEW, screen);
    this.#isNew = false;
    this.#preview = new Promise((done) => {
      this.#term.write(bytes, () =>
        afterFrame(this.#term, () => {
          done();
          if (!this.isBusy) this.#release();
        }),
      );
    });
  }

  /** Draws a snapshot of the terminal's size. With `over`, the current picture stays until it is complete. */
  draw(snapshot: Uint8Array, over: boolean, done: () => void): void {
    this.#turn += 1;
    const turn = this.#turn;
    this.isBusy = true;
    this.#letGo ??= holdScrollbar(this.#term);
    const preview = this.#preview;
    this.#preview = null;
    if (preview === null) return this.#whole(snapshot, over, turn, done);
    void preview.then(() => {
      if (turn === this.#turn) this.#whole(snapshot, true, turn, done);
    });
  }

  /** Abandons the drawing in progress. */
  stop(): void {
    this.#turn += 1;
    this.isBusy = false;
  }

  #whole(snapshot: Uint8Array, over: boolean, turn: number, done: () => void): void {
    this.#isNew = false;
    this.#term.write(joined(over ? BEHIND : ANEW, snapshot), () => {
      if (turn !== this.#turn) return;
      this.isBusy = false;
      if (over) showHeld(this.#term);
      this.#release();
      done();
    });
  }

  #release(): void {
    this.#letGo?.();
    this.#letGo = null;
  }
}

/**
 * Joins both into one write, which is parsed in one go: between two writes, a busy machine would show an
 * empty screen.
 */
function joined(before: Uint8Array, after: Uint8Array): Uint8Array {
  const out = new Uint8Array(before.length + after.length);
  out.set(before);
  out.set(after, before.length);
  return out;
}

/** Runs the callback once what was parsed so far was shown. */
function afterFrame(term: Paper, run: () => void): void {
  setTimeout(run, FRAME_MS);
  if (!term.onRender) return void requestAnimationFrame(() => setTimeout(run));
  const rendered = term.onRender(() => {
    rendered.dispose();
    setTimeout(run);
  });
}
