import { describe, expect, it } from "vitest";
import type { Timeline, TimelineState } from "~/wire/types";
import { barsOf, pathsOf } from "./bars";
import { added, atOnce, lanesOf, movedOn, stateNow, sumsOf, type Lane, type Span } from "./lanes";
import { groupsOf } from "./order";
import { tickName, ticksOf } from "./ticks";
import { atOnceText, barTip, laneTip, sentence } from "./words";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = new Date(2026, 1, 25, 9).getTime();

/** A span in minutes after the start. */
const span = (from: number, until: number, state: TimelineState, reason = ""): Span => ({
  from: START + from * MINUTE,
  until: START + until * MINUTE,
  state,
  reason,
});

function lane(id: string, spans: Span[], more: Partial<Lane> = {}): Lane {
  const session = { id, name: id, title: id, agent: "claude", projectId: "p1", isArchived: false };
  return { ...session, spans, sums: sumsOf(spans), ...more };
}

describe("the lanes", () => {
  const told: Timeline = {
    from: new Date(START).toISOString(),
    until: new Date(START + 2 * HOUR).toISOString(),
    sessions: [
      {
        id: "a",
        name: "fix-cart",
        title: "Fix cart",
        agent: "claude",
        projectId: "p1",
        isArchived: false,
        spans: [
          {
            from: new Date(START).toISOString(),
            until: new Date(START + HOUR).toISOString(),
            state: "working",
            reason: "",
          },
          {
            from: new Date(START + HOUR).toISOString(),
            until: new Date(START + 2 * HOUR).toISOString(),
            state: "waiting",
            reason: "asks",
          },
        ],
        sums: { working: HOUR, waiting: HOUR, held: 0, idle: 0 },
      },
    ],
    sums: { working: HOUR, waiting: HOUR, held: 0, idle: 0 },
  };

  it("are what the engine told, in numbers", () => {
    const { from, until, lanes } = lanesOf(told);
    expect([from, until]).toEqual([START, START + 2 * HOUR]);
    expect(lanes[0]?.spans).toEqual([span(0, 60, "working"), span(60, 120, "waiting", "asks")]);
    expect(lanes[0]?.sums).toMatchObject({ working: HOUR, waiting: HOUR, idle: 0, unknown: 0 });
  });

  it("move on with the clock: what lasts grows, what is too old goes", () => {
    const read = lanesOf(told);
    expect(movedOn(read, 0)).toBe(read);
    const later = movedOn(read, 30 * MINUTE);
    expect([later.from, later.until]).toEqual([START + 30 * MINUTE, START + 150 * MINUTE]);
    expect(later.lanes[0]?.spans).toEqual([
      span(30, 60, "working"),
      span(60, 150, "waiting", "asks"),
    ]);
    expect(later.lanes[0]?.sums).toMatchObject({ working: HOUR / 2, waiting: 1.5 * HOUR });
    const over = { ...read, lanes: [lane("b", [span(0, 20, "working")])] };
    expect(movedOn(over, 30 * MINUTE).lanes).toEqual([]);
  });

  it("know what a session does now, unless it has ended", () => {
    const until = START + HOUR;
    expect(stateNow(lane("a", [span(0, 60, "held", "paused")]), until)?.reason).toBe("paused");
    expect(stateNow(lane("a", [span(0, 50, "held")]), until)).toBeNull();
    expect(stateNow(lane("a", []), until)).toBeNull();
  });

  it("say how many agents worked at once, while any did", () => {
    expect(atOnce([])).toBe(0);
    expect(atOnce([lane("a", [span(0, 60, "waiting")])])).toBe(0);
    expect(atOnce([lane("a", [span(0, 60, "working")])])).toBe(1);
    const [a, b] = [lane("a", [span(0, 60, "working")]), lane("b", [span(30, 60, "working")])];
    expect(atOnce([a, b])).toBe(1.5);
    // Time in which nobody worked does not count.
    const night = lane("c", [span(600, 690, "working"), span(690, 900, "idle")]);
    expect(atOnce([a, b, night])).toBeCloseTo(180 / 150);
    const inside = [
      lane("a", [span(0, 100, "working")]),
      lane("b", [span(10, 20, "working"), span(30, 120, "working")]),
    ];
    expect(atOnce(inside)).toBeCloseTo(200 / 120);
    expect([atOnceText(3.21), atOnceText(1), atOnceText(1.04), atOnceText(12)]).toEqual([
      "3.2 agents at once",
      "1 agent at once",
      "1 agent at once",
      "12 agents at once",
    ]);
  });
});

describe("the bars", () => {
  /** Ten minutes on a hundred pixels. */
  const scale = { from: START, until: START + 10 * MINUTE, width: 100 };
  const second = 1 / 60;

  it("are drawn to scale, with gaps where a session had ended", () => {
    const bars = barsOf([span(0, 1, "working"), span(4, 6, "waiting", "asks")], scale);
    expect(bars.map(({ state, x, width }) => [state, x, width])).toEqual([
      ["working", 0, 10],
      ["waiting", 40, 20],
    ]);
    expect(barsOf([span(0, 1, "working")], { ...scale, width: 0 })).toEqual([]);
    expect(barsOf([], scale)).toEqual([]);
  });

  it("stay within the drawing", () => {
    const [early, late] = barsOf([span(-5, 1, "working"), span(9.999, 15, "held")], scale);
    expect(early).toMatchObject({ x: 0, width: 10 });
    expect(late).toMatchObject({ x: 99, width: 1 });
  });

  it("stand for several spans that cannot be seen apart, in the state that lasted longest", () => {
    const spans = [
      span(0, 5, "working"),
      span(5, 5 + second, "waiting", "asks"),
      span(5 + second, 10, "working"),
    ];
    const bars = barsOf(spans, scale);
    expect(bars.map(({ state, count }) => [state, count])).toEqual([
      ["working", 2],
      ["working", 1],
    ]);
    expect(bars.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(100);
  });

  it("show a short span that stands alone", () => {
    const bars = barsOf([span(5, 5 + second, "waiting")], scale);
    expect(bars).toMatchObject([{ state: "waiting", x: 50, width: 1, count: 1 }]);
  });

  it("are few for any number of spans, cover the same time, and do not overlap", () => {
    const many = Array.from({ length: 60_000 }, (_, at) =>
      span(at / 6_000, (at + 1) / 6_000, at % 3 === 0 ? "waiting" : "working"),
    );
    const bars = barsOf(many, scale);
    expect(bars.length).toBeLessThanOrEqual(200);
    expect(bars.length).toBeGreaterThan(100);
    expect(bars.every(({ state }) => state === "working")).toBe(true);
    expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(60_000);
    for (const [at, bar] of bars.entries()) {
      expect(bar.from).toBeGreaterThanOrEqual(bars[at - 1]?.until ?? START);
    }
    expect(pathsOf(bars)).toHaveLength(1);
  });

  it("differ in shape: waiting is tall, idle thin, held back hollow", () => {
    const path = (state: TimelineState) => pathsOf(barsOf([span(0, 1, state)], scale))[0]?.path;
    expect(path("working")).toBe("M0 4h10v10h-10z");
    expect(path("waiting")).toBe("M0 0h10v18h-10z");
    expect(path("idle")).toBe("M0 8h10v2h-10z");
    expect(path("held")).toBe("M0 4h10v10h-10zM1 5h8v8h-8z");
  });
});

describe("the marks", () => {
  const names = (from: Date, hours: number, most: number) =>
    ticksOf(from.getTime(), from.getTime() + hours * HOUR, most).map(tickName);

  it("are at whole hours of local time, and few", () => {
    const at = new Date(2026, 1, 25, 9, 20);
    expect(names(at, 4, 9)).toEqual([
      "09:30",
      "10:00",
      "10:30",
      "11:00",
      "11:30",
      "12:00",
      "12:30",
      "13:00",
    ]);
    expect(names(at, 24, 8)).toEqual([
      "12:00",
      "15:00",
      "18:00",
      "21:00",
      "Thu 26",
      "03:00",
      "06:00",
      "09:00",
    ]);
    expect(names(at, 24, 4)).toEqual(["12:00", "18:00", "Thu 26", "06:00"]);
    expect(names(at, 0, 4)).toEqual([]);
  });

  it("are days if there are many", () => {
    const at = new Date(2026, 1, 25, 9);
    expect(names(at, 168, 8)).toEqual([
      "Thu 26",
      "Fri 27",
      "Sat 28",
      "Sun 1",
      "Mon 2",
      "Tue 3",
      "Wed 4",
    ]);
    expect(names(at, 168, 4)).toEqual(["Fri 27", "Sun 1", "Tue 3"]);
  });

  it("have their place", () => {
    const [first] = ticksOf(START, START + 4 * HOUR, 4);
    expect(first).toEqual({ at: START, left: 0, isDay: false });
  });
});

describe("the order", () => {
  const early = lane("early", [span(0, 10, "working")]);
  const late = lane("late", [span(5, 10, "working"), span(10, 30, "waiting")]);
  const other = lane("other", [span(2, 9, "waiting")], { projectId: "p2" });
  const gone = lane("gone", [span(1, 2, "waiting")], { projectId: "removed" });
  const ids = (...given: Parameters<typeof groupsOf>) =>
    groupsOf(...given).map(({ lanes }) => lanes.map(({ id }) => id).join(" "));

  it("is by project, then by start", () => {
    expect(ids([late, gone, other, early], "first", ["p2", "p1"])).toEqual([
      "other",
      "early late",
      "gone",
    ]);
  });

  it("is by the longest wait if one asks for it", () => {
    expect(ids([gone, other, early, late], "waited", ["p2", "p1"])).toEqual([
      "late early",
      "other",
      "gone",
    ]);
    const [group] = groupsOf([early, late], "waited", []);
    expect(group?.sums).toEqual(added([early, late]));
    expect(group?.sums).toMatchObject({ working: 15 * MINUTE, waiting: 20 * MINUTE });
  });
});

describe("the words", () => {
  const fix = lane("fix-cart", [span(0, 130, "working"), span(130, 144, "waiting", "asks")], {
    title: "Fix cart",
  });

  it("say what a session did in a sentence", () => {
    expect(sentence(fix)).toBe("Fix cart: worked 2 h 10 min, waited 14 min");
    expect(sentence(lane("Idle", [span(0, 9, "held")], { isArchived: true }))).toBe(
      "Idle: worked 0 s, held back 9 min, archived",
    );
  });

  it("say what it does now", () => {
    const now = START + 144 * MINUTE;
    expect(laneTip(fix, "Claude Code", now).split("\n")).toEqual([
      "Fix cart",
      "fix-cart · Claude Code",
      "worked 2 h 10 min, waited 14 min",
      "Waiting for somebody for 14 min",
      "asks",
    ]);
    expect(laneTip(fix, "Claude Code", now + 1).split("\n")).toHaveLength(3);
  });

  it("say what a bar stands for", () => {
    const now = START + 144 * MINUTE;
    const [, bar] = barsOf(fix.spans, { from: START, until: now, width: 100 });
    expect(bar && barTip(bar, now)).toBe("Waiting for somebody, 14 min\nsince 11:10\nasks");
    const [work] = barsOf(fix.spans, { from: START, until: now, width: 100 });
    expect(work && barTip({ ...work, count: 3 }, now)).toBe(
      "Working, 2 h 10 min\n09:00 – 11:10\nmost of the time; 3 changes in it",
    );
  });
});
