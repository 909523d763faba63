import { expect, test } from "vitest";
import { whyOf } from "./words";

test("a reason stands without the place that is beside it", () => {
  const rows = [
    ["2nd in the queue of main: waits for the checks of cart", "Waits for the checks of cart"],
    ["1st in the queue of main: is tried again: no space", "Is tried again: no space"],
    ["its checks run", "Its checks run"],
  ] as const;
  for (const [why, said] of rows) expect(whyOf(why)).toBe(said);
});
