// The byte layout of the terminal stream, as `crates/model/src/terminal.rs` defines it. Pure: no
// socket, no xterm. Sequence numbers count bytes of output; they are plain numbers here, and one
// beyond 2^53 (nine petabytes) counts as malformed.

/** Maximum unacknowledged bytes of output to one viewer (`WINDOW` on the other side). */
export const WINDOW = 1 << 20;

/** From the keeper to a viewer. */
export type Frame =
  | { kind: "snapshot"; seq: number; cols: number; rows: number; data: Uint8Array }
  | { kind: "screen"; seq: number; cols: number; rows: number; data: Uint8Array }
  | { kind: "output"; seq: number; data: Uint8Array }
  | { kind: "resize"; seq: number; cols: number; rows: number }
  | { kind: "exit"; seq: number; code: number }
  | { kind: "closed"; reason: string };

/** From a viewer to the keeper. */
export type Input =
  | { kind: "data"; data: Uint8Array }
  | { kind: "resize"; cols: number; rows: number }
  | { kind: "ack"; seq: number };

const SEQ = 8;
const SIZE = 4;

/**
 * Decodes a frame; returns `null` if it is malformed. The frame's data is a view of the bytes, not
 * a copy.
 */
export function decodeFrame(bytes: Uint8Array): Frame | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < 1) return null;
  const kind = view.getUint8(0);
  if (kind === 4) return decodeClosed(bytes.subarray(1));
  const seq = readSeq(view, 1);
  if (seq === null) return null;
  const rest = 1 + SEQ;
  switch (kind) {
    case 0:
    case 5:
      if (view.byteLength < rest + SIZE) return null;
      return {
        kind: kind === 0 ? "snapshot" : "screen",
        seq,
        cols: view.getUint16(rest),
        rows: view.getUint16(rest + 2),
        data: bytes.subarray(rest + SIZE),
      };
    case 1:
      return { kind: "output", seq, data: bytes.subarray(rest) };
    case 2:
      if (view.byteLength < rest + SIZE) return null;
      return { kind: "resize", seq, cols: view.getUint16(rest), rows: view.getUint16(rest + 2) };
    case 3:
      if (view.byteLength < rest + SIZE) return null;
      return { kind: "exit", seq, code: view.getInt32(rest) };
    default:
      return null;
  }
}

/** Encodes an input. */
export function encodeInput(input: Input): Uint8Array<ArrayBuffer> {
  switch (input.kind) {
    case "data": {
      const out = new Uint8Array(1 + input.data.length);
      out[0] = 0;
      out.set(input.data, 1);
      return out;
    }
    case "resize": {
      const out = new Uint8Array(1 + SIZE);
      const view = new DataView(out.buffer);
      out[0] = 1;
      view.setUint16(1, input.cols);
      view.setUint16(3, input.rows);
      return out;
    }
    case "ack": {
      const out = new Uint8Array(1 + SEQ);
      out[0] = 2;
      new DataView(out.buffer).setBigUint64(1, BigInt(input.seq));
      return out;
    }
  }
}

function readSeq(view: DataView, at: number): number | null {
  if (view.byteLength < at + SEQ) return null;
  const seq = Number(view.getBigUint64(at));
  return Number.isSafeInteger(seq) ? seq : null;
}

function decodeClosed(bytes: Uint8Array): Frame | null {
  try {
    return { kind: "closed", reason: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return null;
  }
}
