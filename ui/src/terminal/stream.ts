// Applies frames to a screen, in order, and acknowledges drawn output to the keeper. A state machine over an
// abstract screen: no socket, no xterm, no timers.
//
// xterm parses in the background, so a resize or a snapshot waits until everything before it was parsed:
// output wrapped for one size is never laid out for another. Everything waits for a snapshot, which a screen
// may draw in several steps. The backlog is bounded by the protocol's window: a keeper sends at most `WINDOW`
// unacknowledged bytes.

import { WINDOW, type Frame } from "./frames";

/** The screen that a stream draws on. */
export interface Canvas {
  /** Parses bytes; calls `done` when they are parsed, in the order of the calls. */
  write(data: Uint8Array, done: () => void): void;
  /** Shows the screen of a snapshot that follows, if that helps. */
  preview(cols: number, rows: number, screen: Uint8Array): void;
  /** Shows a snapshot of this size in place of everything; calls `done` when all of it is parsed. */
  restore(cols: number, rows: number, snapshot: Uint8Array, done: () => void): void;
  /** Changes the size. */
  resize(cols: number, rows: number): void;
}

/** The events of a stream. */
export interface StreamEvents {
  /** Everything before this byte was drawn. */
  ack(seq: number): void;
  /** The frames are inconsistent: only a new attach can help. */
  broken(why: string): void;
  /** The screen alone is shown. */
  previewed(): void;
  /** Output from here on is for this size; `first` marks a snapshot's size. */
  sized(cols: number, rows: number, first: boolean): void;
  /** The process ended; null when a new one runs, or output implies one. */
  exited(code: number | null): void;
  /** The stream cannot continue. */
  closed(reason: string): void;
}

/**
 * An acknowledgement is sent after this many parsed bytes, or when nothing is left to parse. A sixteenth of
 * the window, so that the keeper never waits for one and a flood needs few.
 */
const ACK_EVERY = WINDOW / 16;

/** The frames of one attachment. A new attachment needs a new stream. */
export class Stream {
  #canvas: Canvas;
  #events: StreamEvents;
  /** Sequence number of the next byte; null before the first snapshot. */
  #expected: number | null = null;
  #drawn = 0;
  #acked = 0;
  #underWay = 0;
  #restoring = false;
  #waiting: Frame[] = [];
  #dead = false;
  #ended = false;

  constructor(canvas: Canvas, events: StreamEvents) {
    this.#canvas = canvas;
    this.#events = events;
  }

  /** Handles the next frame. */
  accept(frame: Frame): void {
    if (this.#dead) return;
    if (this.#waiting.length > 0 || this.#isHeldBack(frame)) {
      this.#waiting.push(frame);
      return;
    }
    this.#apply(frame);
  }

  /** Whether a snapshot was received, so that the screen is meaningful. */
  get attached(): boolean {
    return this.#expected !== null;
  }

  /** Abandons the stream: parsing in progress reports nothing any more. */
  drop(): void {
    this.#dead = true;
    this.#waiting = [];
  }

  #apply(frame: Frame): void {
    switch (frame.kind) {
      case "screen":
        this.#canvas.preview(frame.cols, frame.rows, frame.data);
        return this.#events.previewed();
      case "snapshot":
        return this.#snapshot(frame);
      case "output":
        if (!this.#fits(frame.kind, frame.seq)) return;
        return this.#output(frame.seq, frame.data);
      case "resize":
        if (!this.#fits(frame.kind, frame.seq)) return;
        this.#canvas.resize(frame.cols, frame.rows);
        return this.#events.sized(frame.cols, frame.rows, false);
      case "exit":
        if (!this.#fits(frame.kind, frame.seq)) return;
        this.#ended = true;
        return this.#events.exited(frame.code);
      case "closed":
        this.drop();
        return this.#events.closed(frame.reason);
    }
  }

  #snapshot(frame: Extract<Frame, { kind: "snapshot" }>): void {
    const { seq, cols, rows, data } = frame;
    this.#expected = seq;
    this.#ended = false;
    this.#events.exited(null);
    this.#restoring = true;
    this.#underWay += 1;
    this.#canvas.restore(cols, rows, data, () => {
      this.#restoring = false;
      this.#parsed(seq);
    });
    this.#events.sized(cols, rows, true);
  }

  #output(seq: number, data: Uint8Array): void {
    if (data.length === 0) return;
    this.#expected = seq + data.length;
    if (this.#ended) {
      this.#ended = false;
      this.#events.exited(null);
    }
    this.#write(data, seq + data.length);
  }

  #write(data: Uint8Array, upTo: number): void {
    this.#underWay += 1;
    this.#canvas.write(data, () => this.#parsed(upTo));
  }

  #parsed(upTo: number): void {
    if (this.#dead) return;
    this.#underWay -= 1;
    this.#drawn = upTo;
    if (this.#underWay === 0 || this.#drawn - this.#acked >= ACK_EVERY) this.#ack();
    this.#drain();
  }

  /** Whether a frame must wait for output that is being parsed. */
  #isHeldBack(frame: Frame): boolean {
    return this.#restoring || (this.#underWay > 0 && frame.kind !== "output");
  }

  #ack(): void {
    if (this.#drawn === this.#acked) return;
    this.#acked = this.#drawn;
    this.#events.ack(this.#drawn);
  }

  #drain(): void {
    while (!this.#dead) {
      const next = this.#waiting[0];
      if (!next || this.#isHeldBack(next)) return;
      this.#waiting.shift();
      this.#apply(next);
    }
  }

  #fits(kind: string, seq: number): boolean {
    if (seq === this.#expected) return true;
    const why =
      this.#expected === null
        ? `${kind} before a snapshot`
        : `${kind} at ${seq} where ${this.#expected} was due`;
    this.drop();
    this.#events.broken(why);
    return false;
  }
}
