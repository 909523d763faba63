// @vitest-environment node
import { expect, test } from "vitest";
import { ATTEMPTS, fitted, MOST_BYTES, renamed, treatmentOf } from "./fit";

test("only pictures over the limit are encoded again", () => {
  expect(treatmentOf({ type: "image/png", size: MOST_BYTES })).toBe("whole");
  expect(treatmentOf({ type: "image/png", size: MOST_BYTES + 1 })).toBe("smaller");
  expect(treatmentOf({ type: "image/jpeg", size: 40 * MOST_BYTES })).toBe("smaller");
  expect(treatmentOf({ type: "image/svg+xml", size: MOST_BYTES + 1 })).toBe("too large");
  expect(treatmentOf({ type: "application/zip", size: MOST_BYTES + 1 })).toBe("too large");
  expect(treatmentOf({ type: "", size: 0 })).toBe("whole");
});

test("the longer side fits, and a small picture is not enlarged", () => {
  expect(fitted({ width: 4000, height: 3000 }, 2000)).toEqual({ width: 2000, height: 1500 });
  expect(fitted({ width: 1290, height: 2796 }, 2000)).toEqual({ width: 923, height: 2000 });
  expect(fitted({ width: 800, height: 600 }, 2000)).toEqual({ width: 800, height: 600 });
  expect(fitted({ width: 20_000, height: 3 }, 2000)).toEqual({ width: 2000, height: 1 });
});

test("each attempt is smaller than the one before", () => {
  expect(ATTEMPTS[0]?.side).toBe(2000);
  const sizes = ATTEMPTS.map(({ side, quality }) => side * quality);
  expect(sizes.toSorted((a, b) => b - a)).toEqual(sizes);
});

test("the name says what the content is", () => {
  expect(renamed("shot.png", "image/webp")).toBe("shot.webp");
  expect(renamed("Bildschirmfoto 1.2.png", "image/jpeg")).toBe("Bildschirmfoto 1.2.jpg");
  expect(renamed("shot", "image/webp")).toBe("shot.webp");
});
