// Reports to the engine which session is in view while this page has the focus: notices about it are not sent
// out. The engine forgets a report after a while, so it is repeated.
import type { Platform } from "~/platform/types";
import type { SessionId } from "~/wire/types";

/** The time between two reports, in milliseconds; the engine forgets one after 45 seconds. */
const EVERY = 20_000;

/** Reports the session of a view until the returned function is called. */
export function reportView(platform: Platform, viewer: string, session: SessionId | null) {
  let reported: SessionId | null = null;
  const report = () => {
    const seen = document.hasFocus() && !document.hidden ? session : null;
    // A page that shows nothing has nothing to repeat.
    if (seen === null && reported === null) return;
    reported = seen;
    platform.call("reportView", { viewer, session: seen }).catch(() => undefined);
  };
  report();
  const timer = setInterval(report, EVERY);
  window.addEventListener("focus", report);
  window.addEventListener("blur", report);
  document.addEventListener("visibilitychange", report);
  return () => {
    clearInterval(timer);
    window.removeEventListener("focus", report);
    window.removeEventListener("blur", report);
    document.removeEventListener("visibilitychange", report);
    if (reported === null) return;
    platform.call("reportView", { viewer, session: null }).catch(() => undefined);
  };
}
