// Which links in a terminal can be opened: only web addresses, and only after a click. A link's
// text can misstate its target (OSC 8), so hovering always shows the address.

/** Returns the address as a browser would open it; null for anything but http and https. */
export function webAddress(text: string): string | null {
  try {
    const url = new URL(text);
    const web = url.protocol === "https:" || url.protocol === "http:";
    return web && url.hostname !== "" ? url.href : null;
  } catch {
    return null;
  }
}
