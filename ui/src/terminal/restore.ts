// Draws a snapshot: first the part that fills the screen, then, hidden behind that picture, all of it. xterm
// cannot insert lines above others, so the whole snapshot is written again; synchronized output mode holds
// the picture until the same screen appears with its scrollback. That mode is not ended by its sequence,
// because a snapshot may end in the middle of a sequence that the output continues.

import { screenful } from "./screenful";
import { holdScrollbar, showHeld } from "./still";

/** Longest wait for the first picture's frame: a hidden window draws none. */
const FRAME_MS = 50;

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
}

export class Restore {
  #term: Paper;
  #isSeen: () => boolean;
  /** Counts snapshots: a later one replaces one that is still being drawn. */
  #turn = 0;
  #letGo: (() => void) | null = null;
  /** Whether a snapshot is being drawn. */
  isBusy = false;

  constructor(term: Paper, isSeen: () => boolean) {
    this.#term = term;
    this.#isSeen = isSeen;
  }

  /** Draws a snapshot of the terminal's size. With `over`, the current picture stays until it is complete. */
  draw(snapshot: Uint8Array, over: boolean, done: () => void): void {
    this.#turn += 1;
    const turn = this.#turn;
    this.isBusy = true;
    this.#letGo ??= holdScrollbar(this.#term);
    const first = over || !this.#isSeen() ? null : screenful(snapshot, this.#term.rows);
    if (first === null) return this.#whole(snapshot, over, turn, done);
    this.#term.write(joined(ANEW, first), () => {
      afterFrame(() => {
        if (turn === this.#turn) this.#whole(snapshot, true, turn, done);
      });
    });
  }

  /** Abandons the drawing in progress. */
  stop(): void {
    this.#turn += 1;
    this.isBusy = false;
  }

  #whole(snapshot: Uint8Array, over: boolean, turn: number, done: () => void): void {
    this.#term.write(joined(over ? BEHIND : ANEW, snapshot), () => {
      if (turn !== this.#turn) return;
      this.isBusy = false;
      if (over) showHeld(this.#term);
      this.#letGo?.();
      this.#letGo = null;
      done();
    });
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

/** Runs the callback once the current drawing was shown. */
function afterFrame(run: () => void): void {
  let ran = false;
  const once = () => {
    if (ran) return;
    ran = true;
    run();
  };
  requestAnimationFrame(() => setTimeout(once));
  setTimeout(once, FRAME_MS);
}
