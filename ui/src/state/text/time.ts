// Formats times. Pure: now is passed in.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The narrowest form, for a column: `now`, `2m`, `3h`, `5d`, `9w`. */
export function ago(at: string, now: number): string {
  const seconds = (now - Date.parse(at)) / 1000;
  if (!(seconds >= MINUTE)) return "now";
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 14 * DAY) return `${Math.floor(seconds / DAY)}d`;
  return `${Math.floor(seconds / (7 * DAY))}w`;
}

/** The form for a sentence: `just now`, `2 min ago`, `3 h ago`. */
export function agoLong(at: string, now: number): string {
  const short = ago(at, now);
  if (short === "now") return "just now";
  const unit = { m: "min", h: "h", d: "days", w: "weeks" }[short.slice(-1)] ?? "";
  const count = short.slice(0, -1);
  return `${count} ${count === "1" ? unit.replace(/s$/, "") : unit} ago`;
}

/** The form for a sentence, with seconds if it was a moment ago: `12 s ago`. */
export function agoFine(at: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(at)) / 1000);
  return seconds >= 5 && seconds < MINUTE ? `${seconds} s ago` : agoLong(at, now);
}

/** A duration: `340 ms`, `4.2 s`, `2 min 05 s`. */
export function took(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  // Rounded first: 59.97 s is a minute, not 60.0 s.
  const seconds = Math.round(milliseconds / 100) / 10;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, "0")} s`;
}

/**
 * Returns a function that formats moments in the person's language. Making a formatter takes milliseconds, so it is kept, until
 * the computer's time zone changes.
 */
function formatter(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  let format: Intl.DateTimeFormat | null = null;
  let zone = 0;
  return (at) => {
    const now = new Date().getTimezoneOffset();
    if (format === null || now !== zone) format = new Intl.DateTimeFormat(undefined, options);
    zone = now;
    return Number.isNaN(at.getTime()) ? "" : format.format(at);
  };
}

const hourAndMinute = formatter({ hour: "2-digit", minute: "2-digit", hour12: false });
const weekday = formatter({ weekday: "short" });
const dateAndTime = formatter({ dateStyle: "medium", timeStyle: "medium" });

/** A moment by the clock, in little room: `15:01`, or `Mon 15:01` on another day. */
export function clockTime(at: string, now: number): string {
  const [day, today] = [new Date(at), new Date(now)];
  const time = hourAndMinute(day);
  return day.toDateString() === today.toDateString() ? time : `${weekday(day)} ${time}`;
}

/** The whole date, for a tooltip. */
export function exactly(at: string): string {
  return dateAndTime(new Date(at));
}
