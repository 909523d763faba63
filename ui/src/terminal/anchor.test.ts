// @vitest-environment node
import { expect, test } from "vitest";
import { anchorOf, findAnchor, type Lines } from "./anchor";

const ROWS = 10;
function lines(text: string[], viewportY: number): Lines {
  return {
    baseY: text.length - ROWS,
    viewportY,
    getLine: (y) => {
      const line = text[y];
      return line === undefined ? undefined : { translateToString: () => line };
    },
  };
}
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `line ${from + n}`);

test("at the end there is no position to keep", () => {
  expect(anchorOf(lines(numbered(0, 100), 90))).toBeNull();
});

test("new lines at the end and dropped lines at the top do not move the reader", () => {
  const anchor = anchorOf(lines(numbered(0, 100), 40));
  if (!anchor) throw new Error("no anchor");
  expect(findAnchor(lines(numbered(0, 100), 0), anchor)).toBe(40);
  expect(findAnchor(lines(numbered(0, 130), 0), anchor)).toBe(40);
  expect(findAnchor(lines(numbered(25, 130), 0), anchor)).toBe(15);
});

test("if the anchor lines are gone, the distance to the end is kept", () => {
  const anchor = anchorOf(lines(numbered(0, 100), 40));
  if (!anchor) throw new Error("no anchor");
  expect(findAnchor(lines(numbered(500, 600), 0), anchor)).toBe(40);
});
