// The line of one viewer to one session's terminal: opens the pipe, feeds its frames to a stream,
// acknowledges what was drawn, and opens a new pipe when one breaks. Each new pipe begins with a
// snapshot, so nothing is doubled and nothing is missing. Not the screen: see screen.ts.

import type { TerminalHandlers, TerminalPipe } from "~/platform/types";
import { pause, SETTLED_MS } from "./backoff";
import { decodeFrame, encodeInput, type Input } from "./frames";
import { Stream, type Canvas } from "./stream";

/** How the line is. `closed`: given up until someone asks again. */
export type LineState = "connecting" | "open" | "lost" | "closed";

export interface LineEvents {
  state(state: LineState, reason: string): void;
  sized(cols: number, rows: number, first: boolean): void;
  exited(code: number | null): void;
}

/** Typed or pasted bytes per message: a large paste must not exceed what a transport takes. */
const PIECE = 32 * 1024;

/** Bytes kept while the first connection opens: what a person types in a moment. */
const EARLY = 4096;

export class Line {
  #open: (handlers: TerminalHandlers) => Promise<TerminalPipe>;
  #canvas: Canvas;
  #events: LineEvents;
  #persistent: boolean;
  #state: LineState = "closed";
  #pipe: TerminalPipe | null = null;
  #stream: Stream | null = null;
  #unsent: Input | null = null;
  /** Whether the first connection has yet to open, and what was typed meanwhile. */
  #first = true;
  #early: number[] = [];
  #attempt = 0;
  #openedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    open: (handlers: TerminalHandlers) => Promise<TerminalPipe>,
    canvas: Canvas,
    events: LineEvents,
    persistent: boolean,
  ) {
    this.#open = open;
    this.#canvas = canvas;
    this.#events = events;
    this.#persistent = persistent;
  }

  get state(): LineState {
    return this.#state;
  }

  /** Whether a broken line is tried again by itself: yes while the session's process may live. */
  set persistent(persistent: boolean) {
    const turned = persistent && !this.#persistent;
    this.#persistent = persistent;
    if (turned) this.nudge();
  }

  /** Connects now unless connected: something happened that makes it worth a try. */
  nudge(): void {
    if (this.#state === "lost" || this.#state === "closed") this.#connect();
  }

  /** Hangs up. */
  stop(): void {
    this.#hangUp();
    this.#set("closed", "");
  }

  /**
   * Sends what the person typed. Kept only for the moment in which the first connection opens: after
   * a broken one, late keys would be a surprise.
   */
  type(data: Uint8Array): void {
    if (!this.#pipe && this.#first && this.#state === "connecting") {
      this.#early.push(...data.subarray(0, EARLY - this.#early.length));
      return;
    }
    for (let at = 0; at < data.length; at += PIECE) {
      this.#send({ kind: "data", data: data.subarray(at, at + PIECE) });
    }
  }

  resize(cols: number, rows: number): void {
    this.#send({ kind: "resize", cols, rows });
  }

  #connect(): void {
    this.#hangUp();
    this.#set("connecting", "");
    const stream = this.#newStream();
    this.#stream = stream;
    const current = () => this.#stream === stream;
    const handlers: TerminalHandlers = {
      frame: (bytes) => {
        if (!current()) return;
        const frame = decodeFrame(bytes);
        if (frame === null) return this.#broke("a frame could not be read");
        stream.accept(frame);
        if (frame.kind === "snapshot" && current() && this.#state !== "open") {
          this.#openedAt = Date.now();
          this.#set("open", "");
        }
      },
      lost: (reason) => {
        if (current()) this.#broke(reason);
      },
    };
    this.#open(handlers).then(
      (pipe) => {
        if (!current()) return pipe.close();
        this.#pipe = pipe;
        if (this.#unsent) this.#send(this.#unsent);
        this.#unsent = null;
        if (this.#early.length > 0) this.type(Uint8Array.from(this.#early));
        this.#early = [];
        this.#first = false;
      },
      (error: unknown) => {
        if (current()) this.#broke(error instanceof Error ? error.message : String(error));
      },
    );
  }

  #newStream(): Stream {
    return new Stream(this.#canvas, {
      ack: (seq) => {
        const ack: Input = { kind: "ack", seq };
        // Frames may come before the pipe is handed over.
        if (this.#pipe) this.#send(ack);
        else this.#unsent = ack;
      },
      broken: (why) => this.#broke(why),
      sized: (cols, rows, first) => this.#events.sized(cols, rows, first),
      exited: (code) => this.#events.exited(code),
      closed: (reason) => this.#broke(reason),
    });
  }

  #broke(reason: string): void {
    this.#first = false;
    this.#early = [];
    if (this.#state === "open" && Date.now() - this.#openedAt >= SETTLED_MS) this.#attempt = 0;
    this.#hangUp();
    if (!this.#persistent) return this.#set("closed", reason);
    this.#timer = setTimeout(() => this.#connect(), pause(this.#attempt, Math.random()));
    this.#attempt += 1;
    this.#set("lost", reason);
  }

  #hangUp(): void {
    clearTimeout(this.#timer);
    this.#stream?.drop();
    this.#stream = null;
    this.#pipe?.close();
    this.#pipe = null;
    this.#unsent = null;
  }

  #send(input: Input): void {
    this.#pipe?.send(encodeInput(input));
  }

  #set(state: LineState, reason: string): void {
    this.#state = state;
    this.#events.state(state, reason);
  }
}
