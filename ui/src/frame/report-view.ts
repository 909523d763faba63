// Reports to the engine which session is in view while this page has the focus: notices about it are not sent
// out. The engine forgets a report after a while, so it is repeated.
import type { Platform } from "~/platform/types";
import type { SessionId } from "~/wire/types";

/** The time between two reports, in milliseconds; the engine forgets one after 45 seconds. */
const EVERY = 20_000;

/** The time without a key or a pointer after which nobody is taken to be looking, in milliseconds. */
const AWAY = 120_000;
const SIGNS = ["keydown", "pointermove", "pointerdown", "wheel"] as const;

/** Reports the session of a view until the returned function is called. */
export function reportView(platform: Platform, viewer: string, session: SessionId | null) {
  let reported: SessionId | null = null;
  let active = Date.now();
  const act = () => {
    const wasAway = Date.now() - active > AWAY;
    active = Date.now();
    if (wasAway) report();
  };
  const report = () => {
    const isThere = document.hasFocus() && !document.hidden && Date.now() - active <= AWAY;
    const seen = isThere ? session : null;
    // A page that shows nothing has nothing to repeat.
    if (seen === null && reported === null) return;
    reported = seen;
    platform.call("reportView", { viewer, session: seen }).catch(() => undefined);
  };
  report();
  const timer = setInterval(report, EVERY);
  for (const sign of SIGNS) window.addEventListener(sign, act, { passive: true });
  window.addEventListener("focus", act);
  window.addEventListener("focus", report);
  window.addEventListener("blur", report);
  document.addEventListener("visibilitychange", report);
  return () => {
    clearInterval(timer);
    for (const sign of SIGNS) window.removeEventListener(sign, act);
    window.removeEventListener("focus", act);
    window.removeEventListener("focus", report);
    window.removeEventListener("blur", report);
    document.removeEventListener("visibilitychange", report);
    if (reported === null) return;
    platform.call("reportView", { viewer, session: null }).catch(() => undefined);
  };
}
