// Draws a snapshot: first what fills the screen, then, behind that picture, all of it. xterm cannot
// take lines in above others, so the whole is written anew; what is drawn meanwhile is held by the
// mode for synchronized output, and comes out as the same screen with its scrollback. That mode is
// not ended by its sequence: a snapshot may end in the midst of one, which goes on with the output.

import { screenful } from "./screenful";
import { holdScrollbar, showHeld } from "./still";

/** Longest wait for the first picture's frame: a window that is not shown draws none. */
const FRAME_MS = 50;

const encoder = new TextEncoder();
/** Gives up what was begun, and resets. */
const ANEW = encoder.encode("\x18\x1bc");
/** The same, and holds the picture. */
const BEHIND = encoder.encode("\x18\x1bc\x1b[?2026h");

/** What of xterm a snapshot is drawn on. */
interface Paper {
  readonly rows: number;
  write(data: Uint8Array | string, done?: () => void): void;
  refresh?(start: number, end: number): void;
}

export class Restore {
  #term: Paper;
  #isSeen: () => boolean;
  /** Counts snapshots: a later one takes the place of one that is still being drawn. */
  #turn = 0;
  #letGo: (() => void) | null = null;
  /** Whether a snapshot is being drawn. */
  isBusy = false;

  constructor(term: Paper, isSeen: () => boolean) {
    this.#term = term;
    this.#isSeen = isSeen;
  }

  /** Draws a snapshot of the terminal's size. `over`: in place of a picture that stays until then. */
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

  /** Draws no more of what is under way. */
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

/** In one piece, which is parsed in one go: between two, a busy machine would show an empty screen. */
function joined(before: Uint8Array, after: Uint8Array): Uint8Array {
  const out = new Uint8Array(before.length + after.length);
  out.set(before);
  out.set(after, before.length);
  return out;
}

/** Runs once what is drawn now was shown. */
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
