// Syntax colours, computed in a worker after the lines are shown. Without a worker, lines stay plain.
import type { Line } from "./lines";

/** A coloured part of a line: from, to, and the class. */
export type Part = readonly [from: number, to: number, kind: string];

export interface Request {
  id: number;
  path: string;
  /** The text of each side, hunk by hunk. */
  texts: readonly string[];
}

export interface Reply {
  id: number;
  /** The parts of each line of each text; null if the language is not known. */
  texts: readonly (readonly (readonly Part[])[])[] | null;
}

/** Files with more text than this stay plain. */
const MOST = 2_000_000;

let worker: Worker | null = null;
let next = 0;
const waiting = new Map<number, (reply: Reply) => void>();

function started(): Worker {
  if (worker) return worker;
  worker = new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<Reply>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  };
  worker.onerror = () => {
    for (const [id, answer] of waiting) answer({ id, texts: null });
    waiting.clear();
  };
  return worker;
}

/** The colours of the lines of each hunk, by line. A side of a hunk is read as one text. */
export async function colours(
  path: string,
  hunks: readonly (readonly Line[])[],
): Promise<Map<Line, readonly Part[]>> {
  const found = new Map<Line, readonly Part[]>();
  const sides = hunks.flatMap((lines) => [
    lines.filter(({ sign }) => sign !== "+"),
    lines.filter(({ sign }) => sign !== "-"),
  ]);
  const texts = sides.map((lines) => lines.map(({ text }) => text).join("\n"));
  if (texts.reduce((all, text) => all + text.length, 0) > MOST) return found;
  const id = ++next;
  const reply = await new Promise<Reply>((answer) => {
    waiting.set(id, answer);
    try {
      started().postMessage({ id, path, texts } satisfies Request);
    } catch {
      waiting.delete(id);
      answer({ id, texts: null });
    }
  });
  reply.texts?.forEach((parts, side) => {
    sides[side]?.forEach((line, at) => {
      const own = parts[at];
      if (own && own.length > 0) found.set(line, own);
    });
  });
  return found;
}
