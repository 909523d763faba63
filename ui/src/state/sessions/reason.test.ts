import { describe, expect, it } from "vitest";
import type { Reason } from "~/wire/types";
import { reasonText } from "./reason";

const now = Date.parse("2026-11-22T12:00:00Z");
const reason = (kind: Reason["kind"], text: string, until: string | null): Reason => ({
  kind,
  text,
  until,
});

describe("a reason", () => {
  it("counts down to the next retry, and not beyond it", () => {
    const retry = (until: string) => reasonText(reason("retrying", "Overloaded", until), now);
    expect(retry("2026-11-22T12:29:43Z")).toBe("Overloaded, in 29m 43s");
    expect(retry("2026-11-22T12:00:07Z")).toBe("Overloaded, in 7s");
    expect(retry("2026-11-22T15:05:00Z")).toBe("Overloaded, in 3h 5m");
    expect(retry("2026-11-22T11:59:00Z")).toBe("Overloaded");
  });

  it("is its text if its end is unknown", () => {
    expect(reasonText(reason("failed", "cannot continue: Invalid API key", null), now)).toBe(
      "cannot continue: Invalid API key",
    );
    expect(reasonText(null, now)).toBe("");
  });
});
