import { describe, expect, it } from "vitest";
import { session, summaryOf } from "../../../dev/fixtures";
import type { SessionSummary } from "~/wire/types";
import { AWAY_MS, awaySince, happened } from "./away";

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

describe("what happened while the person was away", () => {
  it("is grouped, the most urgent first; what is older or still works is left out", () => {
    const one = (
      id: string,
      status: SessionSummary["status"],
      more: Partial<SessionSummary> = {},
    ) =>
      summaryOf({
        ...session(id, "p1", id, status, 0),
        ...{ statusSince: at(30), attention: null, ...more },
      });
    const found = happened(
      [
        one("old", "idle", { statusSince: at(5) }),
        one("works", "running"),
        one("rests", "idle"),
        one("leads", "idle", { role: "conductor" }),
        one("died", "errored"),
        one("gone", "exited"),
        one("asks", "waiting", { attention: { kind: "question", since: at(30) } as never }),
      ],
      Date.parse(at(10)),
    );
    expect(found.map(({ kind, sessions }) => [kind, ...sessions.map(({ id }) => id)])).toEqual([
      ["needs", "asks"],
      ["failed", "died"],
      ["finished", "rests"],
      ["ended", "gone"],
    ]);
  });

  it("counts from the moment of leaving, if that is long enough ago", () => {
    const now = Date.parse(at(59));
    expect(awaySince(`${now - AWAY_MS}`, now)).toBe(now - AWAY_MS);
    for (const left of [null, "", "soon", `${now - AWAY_MS + 1}`, `${now + 1}`])
      expect(awaySince(left, now)).toBeNull();
  });
});
