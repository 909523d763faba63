// @vitest-environment node
import { expect, test } from "vitest";
import { Recent } from "./recent";

test("the least recently used is dropped first", () => {
  const dropped: string[] = [];
  const recent = new Recent<number>(2, (key) => dropped.push(key));
  recent.put("a", 1);
  recent.put("b", 2);
  recent.put("a", 1);
  recent.put("c", 3);
  expect(dropped).toEqual(["b"]);
  expect(recent.take("a")).toBe(1);
  recent.put("d", 4);
  expect(dropped).toEqual(["b"]);
  expect(recent.entries().map(([key]) => key)).toEqual(["c", "d"]);
});
