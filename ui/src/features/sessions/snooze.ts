// Snoozes what a session needs the person for: the times that are offered, and the calls.
import type { App } from "~/state/app.svelte";
import { clockTime } from "~/state/text/time";
import type { SessionSummary } from "~/wire/types";
import { words } from "./words";

const MINUTE = 60_000;
const MORNING = 9;

export interface SnoozeTime {
  label: string;
  /** Milliseconds since 1970. */
  until: number;
}

/** Returns the times until which something can be snoozed. */
export function snoozeTimes(now: number): SnoozeTime[] {
  const { halfAnHour, hour, fourHours, tomorrow } = words.snooze;
  const morning = new Date(now);
  morning.setDate(morning.getDate() + 1);
  morning.setHours(MORNING, 0, 0, 0);
  return [
    { label: halfAnHour, until: now + 30 * MINUTE },
    { label: hour, until: now + 60 * MINUTE },
    { label: fourHours, until: now + 240 * MINUTE },
    { label: tomorrow, until: morning.getTime() },
  ];
}

/** Snoozes what a session needs, and offers to undo that. */
export function snooze(app: App, session: SessionSummary, until: number): Promise<boolean> {
  const { failed, done, undo } = words.snooze;
  const at = new Date(until).toISOString();
  return app.attempt(failed, async () => {
    await app.call("snoozeSession", { id: session.id, until: at });
    app.toasts.show({
      title: done(session.title, clockTime(at, Date.now())),
      tone: "idle",
      action: {
        label: undo,
        run: () => void endSnooze(app, session),
        offered: () => app.fleet.session(session.id)?.snoozedUntil != null,
      },
    });
  });
}

/** Ends the snooze of a session. */
export function endSnooze(app: App, { id }: SessionSummary): Promise<boolean> {
  return app.attempt(words.snooze.failed, () => app.call("snoozeSession", { id }));
}
