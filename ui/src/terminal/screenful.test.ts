// @vitest-environment node
import { expect, test } from "vitest";
import { screenful } from "./screenful";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (of: Uint8Array | null) => (of === null ? null : new TextDecoder().decode(of));
const LINES = Array.from({ length: 5_000 }, (_, n) => `line ${n} ${"·".repeat(20)}`);
const END = "\x1b[0m\x1b[24;3H\x1b[?25l";

test("contains twice as many of the last lines as there are rows, and everything after them", () => {
  const all = bytes(LINES.join("\r\n") + END);
  expect(text(screenful(all, 24))).toBe(LINES.slice(-48).join("\r\n") + END);
});

test("includes titles and colours", () => {
  const strings =
    "\x1b]2;one\x1b\\\x1b[22;2t\x1b]2;two\x1b\\\x1b]4;1;rgb:ff/00/00\x1b\\\x1b]11;rgb:00/00/00\x1b\\";
  const all = bytes(strings + LINES.join("\r\n") + END);
  expect(text(screenful(all, 2))).toBe(strings + LINES.slice(-4).join("\r\n") + END);
  const link = "\x1b]8;id=1;https://example.com\x1b\\";
  const linked = bytes(link + LINES.join("\r\n"));
  expect(text(screenful(linked, 2))).toBe(LINES.slice(-4).join("\r\n"));
});

test("of an alternate screen contains nothing behind it", () => {
  const alternate = "\x1b[?1049h\x1b[0m\x1b[H\x1b[2Jeditor\r\n~\r\n~";
  const all = bytes(LINES.join("\r\n") + alternate + END);
  expect(text(screenful(all, 3))).toBe(alternate + END);
});

test("a short snapshot, or one without lines, is drawn whole", () => {
  expect(screenful(bytes(LINES.slice(0, 100).join("\r\n")), 24)).toBeNull();
  expect(screenful(bytes("x".repeat(200_000)), 24)).toBeNull();
  expect(screenful(bytes(""), 24)).toBeNull();
});
