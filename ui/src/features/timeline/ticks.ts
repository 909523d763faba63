// The marks of the hours axis, at whole hours or days of local time. Pure.

export interface Tick {
  at: number;
  /** Its place, as a part of the whole. */
  left: number;
  /** Whether a day begins there. */
  isDay: boolean;
}

const MINUTE = 60_000;
/** The distances between marks, in minutes, from which the smallest that leaves few marks is chosen. */
const STEPS = [5, 10, 15, 30, 60, 120, 180, 240, 360, 720] as const;
const DAY = 1440;

/** Returns marks from `from` until `until`, at most `most` of them, at the same hours each day. */
export function ticksOf(from: number, until: number, most: number): Tick[] {
  if (until <= from || most < 1) return [];
  const length = (until - from) / MINUTE;
  const step = STEPS.find((minutes) => length / minutes <= most);
  const days = step === undefined ? Math.ceil(length / DAY / most) : 1;
  const first = new Date(from);
  const ticks: Tick[] = [];
  // By the calendar, not by adding hours: days differ in length where clocks change.
  for (let day = 0; ; day += days) {
    const at = (minutes: number) =>
      new Date(first.getFullYear(), first.getMonth(), first.getDate() + day, 0, minutes).getTime();
    if (at(0) > until) return ticks;
    for (let minutes = 0; minutes < DAY; minutes += step ?? DAY) {
      const time = at(minutes);
      const isNew = time > (ticks.at(-1)?.at ?? -Infinity);
      if (time >= from && time <= until && isNew)
        ticks.push({ at: time, left: (time - from) / (until - from), isDay: minutes === 0 });
    }
  }
}

/** Names a mark: `14:00`, or the day if one begins there: `Tue 25`. */
export function tickName({ at, isDay }: Pick<Tick, "at" | "isDay">): string {
  const date = new Date(at);
  if (!isDay)
    return date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  return `${date.toLocaleDateString([], { weekday: "short" })} ${date.getDate()}`;
}
