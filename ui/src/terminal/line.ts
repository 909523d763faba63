// The connection of one viewer to one session's terminal: opens the pipe, feeds its frames to a stream,
// acknowledges drawn output, and opens a new pipe when one breaks. Each new pipe begins with a snapshot, so
// nothing is duplicated or missing. The screen is in screen.ts.

import type { TerminalHandlers, TerminalPipe } from "~/platform/types";
import { pause, SETTLED_MS } from "./backoff";
import { decodeFrame, encodeInput, type Input } from "./frames";
import { Stream, type Canvas } from "./stream";

/** The state of the connection. `closed`: it is not retried until requested. */
export type LineState = "connecting" | "open" | "lost" | "closed";

export interface LineEvents {
  state(state: LineState, reason: string): void;
  previewed(): void;
  sized(cols: number, rows: number, first: boolean): void;
  exited(code: number | null): void;
}

/** Typed or pasted bytes per message: a large paste must not exceed the limit of a transport. */
const PIECE = 32 * 1024;

/** Bytes kept while the first connection opens: about what a person types in that time. */
const EARLY = 4096;

export class Line {
  #open: (handlers: TerminalHandlers) => Promise<TerminalPipe>;
  #canvas: Canvas;
  #events: LineEvents;
  #persistent: boolean;
  #state: LineState = "closed";
  #pipe: TerminalPipe | null = null;
  #stream: Stream | null = null;
  /** Acknowledgements and sizes to send once the pipe is handed over; the newest of each kind. */
  #unsent = new Map<Input["kind"], Input>();
  /** Whether the first connection has not opened yet, and the input typed in the meantime. */
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

  /** Whether a broken connection is retried automatically: true while the session's process may live. */
  set persistent(persistent: boolean) {
    const turned = persistent && !this.#persistent;
    this.#persistent = persistent;
    if (turned) this.nudge();
  }

  /** Connects now unless connected, after an event that makes success likely. */
  nudge(): void {
    if (this.#state === "lost" || this.#state === "closed") this.#connect();
  }

  /** Hangs up. */
  stop(): void {
    this.#hangUp();
    this.#set("closed", "");
  }

  /**
   * Sends what the person typed. Input is kept only until the first connection opens; while a broken one is
   * retried it is dropped, since late keys would be a surprise.
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
    this.#sendSoon({ kind: "resize", cols, rows });
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
        for (const input of this.#unsent.values()) this.#send(input);
        this.#unsent.clear();
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
        this.#sendSoon({ kind: "ack", seq });
      },
      broken: (why) => this.#broke(why),
      previewed: () => this.#events.previewed(),
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
    this.#unsent.clear();
  }

  #send(input: Input): void {
    this.#pipe?.send(encodeInput(input));
  }

  /** Sends what may be asked for in answer to frames, which may arrive before the pipe is handed over. */
  #sendSoon(input: Input): void {
    if (this.#pipe) this.#send(input);
    else this.#unsent.set(input.kind, input);
  }

  #set(state: LineState, reason: string): void {
    this.#state = state;
    this.#events.state(state, reason);
  }
}
