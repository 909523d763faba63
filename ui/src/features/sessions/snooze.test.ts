import { expect, it } from "vitest";
import { snoozeTimes } from "./snooze";

it("offers half an hour to tomorrow morning, each later than the one before", () => {
  const evening = new Date(2026, 2, 31, 22, 40).getTime();
  const times = snoozeTimes(evening).map(({ until }) => until);
  expect(times.slice(0, 3).map((until) => (until - evening) / 60_000)).toEqual([30, 60, 240]);
  expect(new Date(times[3] ?? 0)).toEqual(new Date(2026, 3, 1, 9, 0));
});
