// What the interface asks of the host that shows it. It asks for capabilities, never for a
// platform by name: an absent optional member means that the host cannot do it, and the control
// for it is not shown.
import type { Call } from "~/wire/client";
import type { StreamItem } from "~/wire/types";

export type System = "mac" | "linux" | "windows";

/** How the host reaches its engine. `refused`: the token is missing or out of date. */
export type Connection = "connecting" | "open" | "lost" | "refused";

export interface StreamHandlers {
  item: (item: StreamItem) => void;
  connection: (state: Connection) => void;
}

/** One viewer's end of a terminal. Frames and inputs are those of `model::terminal`, as bytes. */
export interface TerminalPipe {
  send: (bytes: Uint8Array) => void;
  close: () => void;
}

export interface TerminalHandlers {
  frame: (bytes: Uint8Array) => void;
  /** The pipe ended and was not closed by us; opening another one may help. */
  lost: (reason: string) => void;
}

/** What the person chose when quitting while agents work. */
export type QuitChoice = "keep" | "stop";

export interface QuitFlow {
  /** The person wants to quit: ends at once, or asks through `onAsk` where sessions live. */
  begin: () => Promise<void>;
  choose: (choice: QuitChoice) => Promise<void>;
}

/** What the host wants of the interface: a notification or a tray entry was clicked, and so on. */
export type HostAsk =
  | { type: "openSession"; id: string }
  | { type: "addFolder"; path: string }
  | { type: "newSession" }
  | { type: "quit" };

/** A place in the page, in its own pixels. */
export interface Point {
  x: number;
  y: number;
}

export interface FolderDrop {
  /** Something is held over the page, there; null once it left or fell. */
  hover: (at: Point | null) => void;
  drop: (paths: string[], at: Point) => void;
}

export interface Platform {
  readonly system: System;
  /** Keys that the host keeps for itself (a browser: mod+N, mod+T, mod+W). */
  readonly reservesKeys: boolean;
  call: Call;
  /** Follows changes after `since`; reconnects by itself, without loss. Returns the way to stop. */
  subscribe: (since: number, handlers: StreamHandlers) => () => void;
  openTerminal: (sessionId: string, handlers: TerminalHandlers) => Promise<TerminalPipe>;
  copy: (text: string) => Promise<void>;
  /** Opens an http(s) address outside. Others are refused. */
  openUrl: (url: string) => Promise<void>;
  pickFolder?: () => Promise<string | null>;
  onFolderDrop?: (handlers: FolderDrop) => () => void;
  onAsk?: (handler: (ask: HostAsk) => void) => () => void;
  /** Tells the host which session shows, so that it does not notify about it. */
  viewing?: (sessionId: string | null) => void;
  quit?: QuitFlow;
}
