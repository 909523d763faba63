// @vitest-environment node
import { expect, test } from "vitest";
import { decodeFrame, encodeInput } from "./frames";

/** Byte layouts as defined in `crates/model/src/terminal.rs`. */
const hex = (text: string) =>
  Uint8Array.from(text.replaceAll(" ", "").match(/../g) ?? [], (pair) => parseInt(pair, 16));
const bytes = (...values: number[]) => Uint8Array.from(values);

test("a snapshot consists of kind 0, sequence, columns, rows and bytes", () => {
  expect(decodeFrame(hex("00 0000000000000007 0050 0018 6869"))).toEqual({
    kind: "snapshot",
    seq: 7,
    cols: 80,
    rows: 24,
    data: bytes(0x68, 0x69),
  });
});

test("the screen alone is kind 5, with the fields of a snapshot", () => {
  expect(decodeFrame(hex("05 0000000000000007 0050 0018 6869"))).toEqual({
    kind: "screen",
    seq: 7,
    cols: 80,
    rows: 24,
    data: bytes(0x68, 0x69),
  });
});

test("output consists of kind 1, the sequence of its first byte, and bytes", () => {
  expect(decodeFrame(hex("01 0000000100000000 00ff"))).toEqual({
    kind: "output",
    seq: 2 ** 32,
    data: bytes(0, 255),
  });
  expect(decodeFrame(hex("01 0000000000000000"))).toEqual({
    kind: "output",
    seq: 0,
    data: bytes(),
  });
});

test("resize, exit and closed frames are decoded", () => {
  expect(decodeFrame(hex("02 0000000000000001 0001 0002"))).toEqual({
    kind: "resize",
    seq: 1,
    cols: 1,
    rows: 2,
  });
  expect(decodeFrame(hex("03 0000000000000003 ffffffff"))).toEqual({
    kind: "exit",
    seq: 3,
    code: -1,
  });
  expect(decodeFrame(hex("04 676f6e65"))).toEqual({ kind: "closed", reason: "gone" });
});

test("a frame in the middle of a larger buffer is read at its offset", () => {
  const all = hex("ffff 01 0000000000000009 6162 ffff");
  expect(decodeFrame(all.subarray(2, 13))).toEqual({
    kind: "output",
    seq: 9,
    data: bytes(0x61, 0x62),
  });
});

test("a malformed frame is null", () => {
  for (const bad of [
    "",
    "00 01",
    "09",
    "00 0000000000000007 0050 00",
    "05 0000000000000007 0050 00",
    "02 0000000000000001 00",
    "03 0000000000000003 ff",
    "04 ff",
    "01 ffffffffffffffff 00",
  ]) {
    expect(decodeFrame(hex(bad)), bad).toBeNull();
  }
});

test("inputs are encoded as the keeper reads them", () => {
  expect(encodeInput({ kind: "data", data: bytes(3) })).toEqual(bytes(0, 3));
  expect(encodeInput({ kind: "resize", cols: 300, rows: 8 })).toEqual(bytes(1, 1, 44, 0, 8));
  expect(encodeInput({ kind: "ack", seq: 2 ** 32 + 5 })).toEqual(bytes(2, 0, 0, 0, 1, 0, 0, 0, 5));
});
