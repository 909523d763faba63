import { describe, expect, it } from "vitest";
import {
  added,
  cells,
  closed,
  dropped,
  filled,
  fitted,
  moved,
  PANES_AT_MOST,
  parsed,
  single,
  split,
  step,
  towards,
  zoneAt,
  type Direction,
  type Layout,
  type Zone,
} from "./layout";

/** Reads `ab/c`: rows of panes, `.` for an empty one; the focused one is a capital. */
function layout(text: string): Layout {
  const letters = Array.from(text.replaceAll("/", ""));
  const focus = Math.max(
    0,
    letters.findIndex((letter) => /[A-Z]/.test(letter) || letter === ":"),
  );
  const rows = text
    .split("/")
    .map((row) => Array.from(row, (letter) => (/[.:]/.test(letter) ? null : letter.toLowerCase())));
  return { rows, focus, zoomed: false };
}

/** Writes a layout as `layout` reads it; an empty pane with the focus is `:`. */
function text(of: Layout | null): string | null {
  if (of === null) return null;
  let at = 0;
  const letter = (cell: string | null) => {
    const here = at++ === of.focus;
    return cell === null ? (here ? ":" : ".") : here ? cell.toUpperCase() : cell;
  };
  return of.rows.map((row) => row.map(letter).join("")).join("/");
}

describe("a split", () => {
  it.each<[string, Direction, string | null]>([
    ["A", "right", "a:"],
    ["A", "left", ":a"],
    ["A", "down", "a/:"],
    ["A", "up", ":/a"],
    ["Ab", "right", "a:b"],
    ["aBc", "right", null],
    ["Ab", "down", "ab/:"],
    ["aB/c", "down", "ab/c:"],
    ["Ab/c", "down", "ab/:c"],
    ["a/B", "down", "a/b/:"],
    ["a/b/C", "down", null],
    ["a/B/c", "up", ":a/b/c"],
    ["ab/cd/Ef", "right", null],
    ["abC/def", "down", null],
  ])("of %s to the %s is %s", (before, edge, after) => {
    expect(text(split(layout(before), null, edge))).toBe(after);
  });
});

describe("one more session", () => {
  it("keeps the panes even, up to six", () => {
    const seen: (string | null)[] = [];
    let now: Layout | null = single("a");
    for (const id of "bcdefg") {
      now = now && added(now, id);
      seen.push(text(now));
    }
    expect(seen).toEqual(["aB", "ab/C", "ab/cD", "abE/cd", "abe/cdF", null]);
  });

  it.each([
    ["ab/C", "b", "aB/c"],
    ["a.", "b", "aB"],
    [":a", "b", "Ba"],
  ])("of %s with %s is %s: what it has already, or an empty pane", (before, id, after) => {
    expect(text(added(layout(before), id))).toBe(after);
  });
});

it.each([
  ["Ab", "c", 0, "Cb"],
  ["Ab", "b", 0, "Ba"],
  ["a:", "a", 1, ".A"],
  ["A", "c", 0, "C"],
])("a session in a pane of %s: %s into %i is %s", (before, id, at, after) => {
  expect(text(filled(layout(before), id, at))).toBe(after);
});

it.each([
  ["aBc", 1, "aC"],
  ["abC", 2, "aB"],
  ["abC", 0, "bC"],
  ["ab/C", 2, "aB"],
  ["A/b", 0, "B"],
  ["A", 0, null],
])("%s without pane %i is %s", (before, at, after) => {
  expect(text(closed(layout(before), at))).toBe(after);
});

it.each<[string, string, number, Zone, string | null]>([
  ["Ab", "c", 1, "middle", "aC"],
  ["Ab", "a", 1, "middle", "bA"],
  ["Ab", "c", 1, "right", "abC"],
  ["Ab", "c", 0, "down", "ab/C"],
  ["abC", "a", 2, "right", "bcA"],
  ["Ab", "b", 1, "left", "Ab"],
  ["Abc/def", "g", 0, "up", null],
  ["Abc/def", "f", 0, "left", null],
])("in %s, %s dropped on %i at the %s gives %s", (before, id, at, zone, after) => {
  expect(text(dropped(layout(before), id, at, zone))).toBe(after);
});

it.each<[string, Direction, number | null]>([
  ["Abc/de", "right", 1],
  ["Abc/de", "left", null],
  ["Abc/de", "down", 3],
  ["abC/de", "down", 4],
  ["abc/dE", "up", 2],
  ["abc/dE", "right", null],
  ["abc/dE", "down", null],
])("from the focused pane of %s, %s is %s", (before, direction, to) => {
  const from = layout(before);
  expect(towards(from, from.rows, direction)).toBe(to);
});

it("steps around the end", () => {
  expect([step(layout("ab/C"), 1), step(layout("Ab/c"), -1), step(layout("Ab"), 1)]).toEqual([
    0, 2, 1,
  ]);
});

it.each<[string, Direction, string | null]>([
  ["Ab", "right", "bA"],
  ["ab/C", "up", "aC/b"],
  ["A", "right", null],
  ["Ab", "up", null],
])("%s moved %s is %s", (before, direction, after) => {
  const from = layout(before);
  expect(text(moved(from, from.rows, direction))).toBe(after);
});

it.each([
  ["abc/def", 3, ["abc", "def"]],
  ["abc/def", 2, ["ab", "cd", "ef"]],
  ["ab/c", 1, ["a", "b", "c"]],
  ["ab/c", 0, ["a", "b", "c"]],
  ["a/b/c", 2, ["a", "b", "c"]],
])("a window with room for %s in %i columns shows %j", (before, columns, rows) => {
  expect(fitted(layout(before), columns).map((row) => row.join(""))).toEqual(rows);
});

it.each<[number, number, Zone]>([
  [0.5, 0.5, "middle"],
  [0.1, 0.5, "left"],
  [0.9, 0.5, "right"],
  [0.5, 0.1, "up"],
  [0.5, 0.9, "down"],
  [0.05, 0.1, "left"],
])("the point %d, %d is in the %s", (x, y, zone) => {
  expect(zoneAt(x, y)).toBe(zone);
});

it.each<[unknown, string | null]>([
  [{ rows: [["a", null]], focus: 1, zoomed: false }, "a:"],
  [{ rows: [["a"]], focus: 7 }, "A"],
  [{ rows: [["a"], ["b"]], focus: "1" }, "A/b"],
  [{ rows: [] }, null],
  [{ rows: [[]] }, null],
  [{ rows: [["a", "a"]] }, null],
  [{ rows: [["a", 3]] }, null],
  [{ rows: [["a", "b", "c", "d"]] }, null],
  [{ rows: [["a", "b", "c"], ["d", "e", "f"], ["g"]] }, null],
  ["ab", null],
  [null, null],
])("reads %j as %s", (kept, read) => {
  expect(text(parsed(kept))).toBe(read);
});

it("never holds a session twice, nor more than the most, whatever is done", () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  const pick = <T>(of: readonly T[]) => of[random(of.length)] as T;
  const directions: readonly Direction[] = ["left", "right", "up", "down"];
  let now: Layout = single("a");
  for (let turn = 0; turn < 3_000; turn += 1) {
    const id = pick(Array.from("abcdefgh"));
    const at = random(cells(now).length);
    const next = pick<() => Layout | null>([
      () => split(now, null, pick(directions), at),
      () => added(now, id),
      () => filled(now, id, at),
      () => closed(now, at),
      () => dropped(now, id, at, pick<Zone>([...directions, "middle"])),
      () => moved(now, now.rows, pick(directions)),
    ])();
    now = next ?? now;
    expect(parsed(JSON.parse(JSON.stringify(now)))).toEqual(now);
    expect(cells(now).length).toBeLessThanOrEqual(PANES_AT_MOST);
  }
});
