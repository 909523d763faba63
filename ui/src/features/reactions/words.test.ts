import { expect, test } from "vitest";
import { controlsOf, reactionOf } from "./words";

const reaction = {
  rule: "ci-failed",
  stands: true,
  says: "",
  notifiedAt: null,
  fresh: 0,
  isOff: false,
};

test("a reaction says when the person is notified, or was", () => {
  const one = { ...reaction, says: "its agent was told once" };
  const at = "2026-01-01T12:00:00Z";
  const now = Date.parse(at);
  expect(reactionOf({ ...one, notifiedAt: null }, now)).toBe("Its agent was told once.");
  expect(reactionOf({ ...one, notifiedAt: at }, now - 1000)).toMatch(
    /\. You will be notified at .+\./,
  );
  expect(reactionOf({ ...one, notifiedAt: at }, now + 1000)).toMatch(/\. You were notified\.$/);
});

test("a menu has only what would change something", () => {
  expect(controlsOf(reaction)).toEqual(["off"]);
  expect(controlsOf({ ...reaction, fresh: 2 })).toEqual(["run", "skip", "off"]);
  expect(controlsOf({ ...reaction, fresh: 2, isOff: true })).toEqual(["on"]);
});
