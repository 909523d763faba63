// Puts off what a session needs the person for: the times that are offered, and the call. Pure but for the call.
import type { App } from "~/state/app.svelte";
import { clockTime } from "~/state/text/time";
import type { SessionSummary } from "~/wire/types";
import { words } from "./words";

const MINUTE = 60_000;
const MORNING = 9;

export interface Later {
  label: string;
  /** Milliseconds since 1970. */
  until: number;
}

/** Returns the times until which something can be put off. */
export function laters(now: number): Later[] {
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

/** Puts off what a session needs, and offers to take that back. */
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
        run: () => void wake(app, session),
        offered: () => app.fleet.session(session.id)?.snoozedUntil != null,
      },
    });
  });
}

/** Shows again what was put off. */
export function wake(app: App, { id }: SessionSummary): Promise<boolean> {
  return app.attempt(words.snooze.failed, () => app.call("snoozeSession", { id }));
}
