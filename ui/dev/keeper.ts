// A fake keeper for the fixture host: stores what a session printed, serves several viewers,
// answers resizes, and echoes typed text, over the same frames as the real one. Its snapshot is
// simply the full output again, after the last lines of it if it is long. Tests reach the keepers as
// `window.keepers`.
import type { TerminalHandlers, TerminalPipe } from "~/platform/types";
import { SCREENS } from "./screens";

const encoder = new TextEncoder();

function frame(
  kind: number,
  seq: number,
  fields: (view: DataView) => void,
  size: number,
): Uint8Array {
  const bytes = new Uint8Array(9 + size);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, kind);
  view.setBigUint64(1, BigInt(seq));
  fields(view);
  return bytes;
}

/** Output of more bytes than this has many lines of scrollback. */
const LONG = 64 * 1024;

const LINE_FEED = 0x0a;

/** Returns the last lines of plain output. */
function lastLines(output: Uint8Array, lines: number): Uint8Array {
  let at = output.length;
  for (let n = 0; n < lines && at > 0; n += 1) at = output.lastIndexOf(LINE_FEED, at - 1);
  return output.subarray(at + 1);
}

export class FixtureKeeper {
  seq = 0;
  cols = 80;
  rows = 24;
  /** The text that viewers typed. */
  typed = "";
  resizes: [number, number][] = [];
  acked = 0;
  attached = 0;
  #printed: Uint8Array[] = [];
  #viewers = new Set<TerminalHandlers>();

  constructor(text: string) {
    this.#keep(encoder.encode(text));
  }

  /** Prints as the process would. */
  print(text: string): void {
    const data = encoder.encode(text);
    const seq = this.#keep(data);
    this.#tell(this.#output(seq, data));
  }

  exit(code: number): void {
    this.#tell(frame(3, this.seq, (view) => view.setInt32(9, code), 4));
  }

  resize(cols: number, rows: number): void {
    if (cols === this.cols && rows === this.rows) return;
    this.cols = cols;
    this.rows = rows;
    this.#tell(this.#sized(2, 4));
  }

  /** Breaks every connection, as a network failure, a handover or a crash of the engine would. */
  drop(): void {
    const viewers = [...this.#viewers];
    this.#viewers.clear();
    for (const viewer of viewers) viewer.lost("The connection was lost.");
  }

  /** Loses output on the way, which viewers must notice. */
  lose(text: string): void {
    this.#keep(encoder.encode(text));
  }

  attach(handlers: TerminalHandlers): Promise<TerminalPipe> {
    this.attached += 1;
    setTimeout(() => {
      const size = this.#printed.reduce((sum, part) => sum + part.length, 0);
      const all = new Uint8Array(size);
      let at = 0;
      for (const part of this.#printed) {
        all.set(part, at);
        at += part.length;
      }
      this.#viewers.add(handlers);
      if (size > LONG) handlers.frame(this.#drawn(5, lastLines(all, this.rows)));
      handlers.frame(this.#drawn(0, all));
    }, 10);
    return Promise.resolve({
      send: (bytes) => this.#take(bytes),
      close: () => this.#viewers.delete(handlers),
    });
  }

  #take(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (view.getUint8(0) === 2) this.acked = Number(view.getBigUint64(1));
    if (view.getUint8(0) === 1) {
      this.resizes.push([view.getUint16(1), view.getUint16(3)]);
      this.resize(view.getUint16(1), view.getUint16(3));
    }
    if (view.getUint8(0) === 0) {
      const text = new TextDecoder().decode(bytes.subarray(1));
      this.typed += text;
      // Echoes printable characters as a shell would, but not escape sequences.
      if (!text.startsWith("\x1b")) this.print(text.replaceAll("\r", "\r\n❯ "));
    }
  }

  #keep(data: Uint8Array): number {
    const seq = this.seq;
    this.#printed.push(data);
    this.seq += data.length;
    return seq;
  }

  #output(seq: number, data: Uint8Array): Uint8Array {
    const bytes = frame(1, seq, () => undefined, data.length);
    bytes.set(data, 9);
    return bytes;
  }

  #drawn(kind: number, data: Uint8Array): Uint8Array {
    const bytes = this.#sized(kind, 4 + data.length);
    bytes.set(data, 13);
    return bytes;
  }

  #sized(kind: number, size: number): Uint8Array {
    return frame(
      kind,
      this.seq,
      (view) => {
        view.setUint16(9, this.cols);
        view.setUint16(11, this.rows);
      },
      size,
    );
  }

  #tell(bytes: Uint8Array): void {
    for (const viewer of this.#viewers) viewer.frame(bytes);
  }
}

export const keepers = new Map<string, FixtureKeeper>();

export function openTerminal(id: string, handlers: TerminalHandlers): Promise<TerminalPipe> {
  let keeper = keepers.get(id);
  if (!keeper) {
    keeper = new FixtureKeeper(SCREENS[id] ?? SCREENS.s3 ?? "");
    keepers.set(id, keeper);
  }
  return keeper.attach(handlers);
}
