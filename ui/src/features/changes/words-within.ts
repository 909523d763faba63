// Which part of a changed line differs from the line that it replaced. Pure.

export type Range = readonly [from: number, to: number];

/** Lines longer than this are not compared word by word. */
const LONGEST = 500;

const WORD = /[\p{L}\p{N}_]+|\s+|./gu;

/**
 * The parts of `text` that are not in `other`, as ranges: words at the beginning and the end that both have
 * are left out, then those of the longest common sequence. Empty if the lines have too little in common.
 */
export function differing(text: string, other: string): Range[] {
  if (text === other || text.length > LONGEST || other.length > LONGEST) return [];
  const a = text.match(WORD) ?? [];
  const b = other.match(WORD) ?? [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  )
    end += 1;
  const [mine, theirs] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const kept = common(mine, theirs);
  const shared = [
    ...a.slice(0, start),
    ...a.slice(a.length - end),
    ...mine.filter((_, i) => kept[i]),
  ];
  const length = shared.filter((word) => /\S/.test(word)).join("").length;
  // Two lines that share next to nothing are two lines, not one with changed words.
  if (length * 4 < text.replace(/\s/g, "").length) return [];
  const ranges: [number, number][] = [];
  let at = a.slice(0, start).join("").length;
  mine.forEach((word, i) => {
    const to = at + word.length;
    const last = ranges.at(-1);
    if (!kept[i]) {
      if (last?.[1] === at) last[1] = to;
      else ranges.push([at, to]);
    }
    at = to;
  });
  return ranges;
}

/** Marks the words of `a` that belong to the longest common sequence with `b`. */
function common(a: readonly string[], b: readonly string[]): boolean[] {
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  const value = (i: number, j: number) => best[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      best[i * width + j] =
        a[i] === b[j] ? value(i + 1, j + 1) + 1 : Math.max(value(i + 1, j), value(i, j + 1));
  const kept = a.map(() => false);
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      kept[i] = true;
      i += 1;
      j += 1;
    } else if (value(i + 1, j) >= value(i, j + 1)) i += 1;
    else j += 1;
  }
  return kept;
}
