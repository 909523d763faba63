// @vitest-environment node
import { expect, test } from "vitest";
import { SizeClaim } from "./size";

const small = { cols: 80, rows: 24 };
const mid = { cols: 100, rows: 30 };
const large = { cols: 120, rows: 40 };

test("a viewer without focus never requests a size", () => {
  const claim = new SizeClaim();
  expect(claim.told(small, true)).toBeNull();
  expect(claim.space(large)).toBeNull();
  expect(claim.letterboxed).toBe(true);
});

test("focus requests the size that fits, once", () => {
  const claim = new SizeClaim();
  claim.told(small, true);
  claim.space(large);
  expect(claim.claim()).toEqual(large);
  expect(claim.claim()).toBeNull();
  claim.told(large, false);
  expect(claim.letterboxed).toBe(false);
  expect(claim.claim()).toBeNull();
});

test("focus before the snapshot requests the size after the snapshot", () => {
  const claim = new SizeClaim();
  claim.space(large);
  expect(claim.claim()).toBeNull();
  expect(claim.told(small, true)).toEqual(large);
});

test("the deciding viewer follows its layout, and resizes it requested keep it deciding", () => {
  const claim = new SizeClaim();
  claim.told(small, true);
  claim.space(large);
  claim.claim();
  expect(claim.space(mid)).toEqual(mid);
  claim.told(large, false);
  claim.told(mid, false);
  expect(claim.decides).toBe(true);
  expect(claim.space(small)).toEqual(small);
});

test("another viewer's size ends the claim until the next focus", () => {
  const claim = new SizeClaim();
  claim.told(small, true);
  claim.space(large);
  claim.claim();
  claim.told(large, false);
  claim.told(mid, false);
  expect(claim.decides).toBe(false);
  expect(claim.letterboxed).toBe(true);
  expect(claim.space({ cols: 121, rows: 40 })).toBeNull();
  expect(claim.claim()).toEqual({ cols: 121, rows: 40 });
});

test("a parked terminal requests no size, whatever the layout does", () => {
  const claim = new SizeClaim();
  claim.told(small, true);
  claim.space(large);
  claim.claim();
  claim.park();
  expect(claim.space(mid)).toBeNull();
  expect(claim.told(small, true)).toBeNull();
});

test("after a reconnect the deciding viewer requests its size again", () => {
  const claim = new SizeClaim();
  claim.told(small, true);
  claim.space(large);
  claim.claim();
  claim.told(large, false);
  expect(claim.told(small, true)).toEqual(large);
});
