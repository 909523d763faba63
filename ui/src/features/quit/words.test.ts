// @vitest-environment node
import { expect, it } from "vitest";
import { words } from "./words";

it("names what keeps running, and leaves out empty counts", () => {
  expect(words.text(1, 0)).toBe("1 session is still running.");
  expect(words.text(0, 1)).toBe("A program is running in a shell.");
  expect(words.text(3, 2)).toBe("3 sessions are still running. Programs are running in 2 shells.");
});
