// Which links in a terminal may be opened: web pages, and only after the person clicked. A link's
// text can lie about where it leads (OSC 8), so what is shown on hover is always the address.

/** The address as a browser would open it; null for anything but http and https. */
export function webAddress(text: string): string | null {
  try {
    const url = new URL(text);
    const web = url.protocol === "https:" || url.protocol === "http:";
    return web && url.hostname !== "" ? url.href : null;
  } catch {
    return null;
  }
}
