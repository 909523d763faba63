// Sessions whose worktrees change the same files: a conflict, the same lines, and only the same file.
import type { Collision, Session } from "~/wire/types";
import { minutesAgo } from "./fixtures";

function collision(session: string, paths: string[], more: Partial<Collision> = {}): Collision {
  const { samePlace = false, conflicts = false } = more;
  return {
    session,
    files: paths.map((path) => ({ path, samePlace, conflicts })),
    fileCount: paths.length,
    samePlace,
    conflicts,
    at: minutesAgo(1),
    ...more,
  };
}

const CONFLICT = { samePlace: true, conflicts: true };

const ALL: Readonly<Record<string, Collision[]>> = {
  s2: [collision("s3", ["src/cart/cart.ts", "src/cart/totals.ts"], CONFLICT)],
  s3: [
    collision("s4", ["src/cart/totals.ts"], { samePlace: true }),
    collision("s2", ["src/cart/cart.ts", "src/cart/totals.ts"], CONFLICT),
    collision("s1", ["src/mails/receipt.ts"]),
  ],
  s4: [collision("s3", ["src/cart/totals.ts"], { samePlace: true })],
  s1: [collision("s3", ["src/mails/receipt.ts"])],
};

const CHANGES = { files: 4, added: 61, removed: 12, isMany: false };

/** Adds the collisions to the sessions. */
export function clashing(sessions: readonly Session[]): Session[] {
  return sessions.map((one) => {
    const collisions = ALL[one.id];
    return collisions ? { ...one, collisions, changes: CHANGES } : one;
  });
}
