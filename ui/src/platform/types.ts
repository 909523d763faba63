// What the interface needs from its host. It checks for capabilities, never for a platform by name:
// an absent optional member means that the host lacks it, and its control is not shown.
import type { Call } from "~/wire/client";
import type { StreamItem } from "~/wire/types";

export type System = "mac" | "linux" | "windows";

/** The connection of the host to its engine. `refused`: the token is missing or out of date. */
export type Connection = "connecting" | "open" | "lost" | "refused";

export interface StreamHandlers {
  item: (item: StreamItem) => void;
  connection: (state: Connection) => void;
}

/**
 * One viewer's connection to a terminal. Frames and inputs are those of `model::terminal`, as
 * bytes.
 */
export interface TerminalPipe {
  send: (bytes: Uint8Array) => void;
  close: () => void;
}

export interface TerminalHandlers {
  frame: (bytes: Uint8Array) => void;
  /** The pipe ended without being closed here; opening another one may help. */
  lost: (reason: string) => void;
}

/** The person's choice when quitting while agents work. */
export type QuitChoice = "keep" | "stop";

export interface QuitFlow {
  /** The person wants to quit: ends immediately, or asks through `onAsk` if sessions live. */
  begin: () => Promise<void>;
  choose: (choice: QuitChoice) => Promise<void>;
}

/**
 * A request of the host to the interface: a notification or a tray entry was clicked, and so on.
 */
export type HostAsk =
  | { type: "openSession"; id: string }
  | { type: "openPlan"; id: string }
  | { type: "addFolder"; path: string }
  | { type: "newSession" }
  | { type: "quit" };

/** A point in the page, in CSS pixels. */
export interface Point {
  x: number;
  y: number;
}

export interface FolderDrop {
  /** A folder is held over this point of the page; null once it left or was dropped. */
  hover: (at: Point | null) => void;
  drop: (paths: string[], at: Point) => void;
}

export interface Platform {
  readonly system: System;
  /** Whether the host keeps some keys for itself (a browser: mod+N, mod+T, mod+W). */
  readonly reservesKeys: boolean;
  call: Call;
  /**
   * Follows changes after `since`; reconnects by itself, without loss. Returns a function that
   * stops it.
   */
  subscribe: (since: number, handlers: StreamHandlers) => () => void;
  openTerminal: (sessionId: string, handlers: TerminalHandlers) => Promise<TerminalPipe>;
  copy: (text: string) => Promise<void>;
  /** Opens an http(s) address outside of the interface. Others are refused. */
  openUrl: (url: string) => Promise<void>;
  pickFolder?: () => Promise<string | null>;
  onFolderDrop?: (handlers: FolderDrop) => () => void;
  onAsk?: (handler: (ask: HostAsk) => void) => () => void;
  /** Reports which session is in view, so that the host does not notify about it. */
  viewing?: (sessionId: string | null) => void;
  quit?: QuitFlow;
}
