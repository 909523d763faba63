// @vitest-environment node
import { expect, test } from "vitest";
import { clipboardText, harmlessPaste } from "./clipboard";

test("a program can write the clipboard", () => {
  expect(clipboardText(`c;${btoa("hello")}`)).toBe("hello");
  expect(clipboardText(`;${btoa("hello")}`)).toBe("hello");
  expect(clipboardText("c;w7zigqw=")).toBe("ü€");
});

test("a program cannot read the clipboard, clear it, or access other clipboards", () => {
  expect(clipboardText("c;?")).toBeNull();
  expect(clipboardText("c;")).toBeNull();
  expect(clipboardText(`p;${btoa("x")}`)).toBeNull();
});

test("malformed or huge content is dropped", () => {
  expect(clipboardText("c")).toBeNull();
  expect(clipboardText("c;***")).toBeNull();
  expect(clipboardText("c;/w==")).toBeNull();
  expect(clipboardText(`c;${"A".repeat(2_000_000)}`)).toBeNull();
});

test("a paste cannot end its own bracket or carry control characters", () => {
  expect(harmlessPaste("a\x1b[201~rm -rf ~\r")).toBe("a[201~rm -rf ~\r");
  expect(harmlessPaste("one\ttwo\nthree\x9b201~\x03")).toBe("one\ttwo\nthree201~");
  expect(harmlessPaste("ü 👩‍👩‍👧 漢字")).toBe("ü 👩‍👩‍👧 漢字");
});
