// The words for what happened while the person was away.
import type { AwayKind } from "./away";

export const words = {
  since: (time: string) => `Since ${time}`,
  label: "What happened while you were away",
  close: "Close",
};

/** `1 session needs you`, `3 finished`. */
export function count(kind: AwayKind, number: number): string {
  const verb = {
    needs: number === 1 ? "needs you" : "need you",
    failed: "failed",
    finished: "finished",
    ended: "ended",
  };
  return `${number} ${verb[kind]}`;
}
