// A line cut at every place where its colour or its emphasis changes. Pure.
import type { Part } from "./highlight";
import type { Range } from "./words-within";

export interface Piece {
  text: string;
  kind: string | null;
  differs: boolean;
}

export function pieces(text: string, parts: readonly Part[], ranges: readonly Range[]): Piece[] {
  if (parts.length === 0 && ranges.length === 0) return [{ text, kind: null, differs: false }];
  const cuts = new Set([0, text.length]);
  for (const [from, to] of [...parts, ...ranges])
    for (const cut of [from, to]) if (cut > 0 && cut < text.length) cuts.add(cut);
  const sorted = [...cuts].sort((a, b) => a - b);
  const found: Piece[] = [];
  sorted.slice(0, -1).forEach((from, at) => {
    const to = sorted[at + 1] ?? text.length;
    const part = parts.find(([start, end]) => start <= from && from < end);
    const differs = ranges.some(([start, end]) => start <= from && from < end);
    found.push({ text: text.slice(from, to), kind: part?.[2] ?? null, differs });
  });
  return found;
}
