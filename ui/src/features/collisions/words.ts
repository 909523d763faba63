// What is said of sessions whose worktrees change the same files. Pure. The engine decides who collides.
import type { Tone } from "~/kit/tone";
import { shown } from "~/state/text/shown";
import { count } from "~/state/text/words";
import type { Collision, SessionId } from "~/wire/types";

export interface Clash {
  text: string;
  /** Null for files that both change in different places. */
  tone: Tone | null;
}

/** How many files are named. */
const FILES = 3;

/** How bad a collision is: a merge conflicts, the same lines, only the same files. */
type Degree = "conflicts" | "lines" | "files";

const TONES: Readonly<Record<Degree, Tone | null>> = {
  conflicts: "bad",
  lines: "need",
  files: null,
};

const ORDER: readonly Degree[] = ["conflicts", "lines", "files"];

function degreeOf({ conflicts, samePlace }: Collision): Degree {
  if (conflicts) return "conflicts";
  return samePlace ? "lines" : "files";
}

const SHORT: Readonly<Record<Degree, (other: string) => string>> = {
  conflicts: (other) => `conflicts with ${other}`,
  lines: (other) => `same lines as ${other}`,
  files: (other) => `same files as ${other}`,
};

/** Returns what a card says of the worst collisions of its session; null if there are none. */
export function badgeOf(
  collisions: readonly Collision[],
  titleOf: (id: SessionId) => string | undefined,
): Clash | null {
  const worst = ORDER.find((degree) => collisions.some((one) => degreeOf(one) === degree));
  if (worst === undefined) return null;
  const [first, ...rest] = collisions.filter((one) => degreeOf(one) === worst);
  const title = first && rest.length === 0 ? titleOf(first.session) : undefined;
  const other = title ?? count(rest.length + 1, "session");
  return { text: SHORT[worst](other), tone: TONES[worst] };
}

/** Returns the collisions, the worst first. */
export function sorted(collisions: readonly Collision[]): Collision[] {
  const rank = (one: Collision) => ORDER.indexOf(degreeOf(one));
  return [...collisions].sort((a, b) => rank(a) - rank(b));
}

/** Returns what stands behind the title of the other session. */
export function sentenceOf(one: Collision): Clash {
  const named = one.files.slice(0, FILES).map(({ path }) => shown(path));
  const more = one.fileCount - named.length;
  const last = more > 0 ? count(more, "more file") : named.length > 1 ? named.pop() : undefined;
  const files = named.join(", ") + (last === undefined ? "" : ` and ${last}`);
  const degree = degreeOf(one);
  const text = {
    conflicts: `also changes ${files}. Merging both would conflict.`,
    lines: `also changes ${files}, partly the same lines. Both still merge.`,
    files: `also changes ${files}.`,
  }[degree];
  return { text, tone: TONES[degree] };
}

export const words = {
  label: "Sessions that change the same files",
  gone: "A session that is not listed",
  more: (n: number) =>
    `${count(n, "more session")} ${n === 1 ? "changes" : "change"} the same files.`,
};
