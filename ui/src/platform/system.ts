// The person's operating system: it decides the key table and how paths look, nothing else.
import type { System } from "./types";

export function detectSystem(agent = navigator.userAgent): System {
  if (/Mac|iPhone|iPad/.test(agent)) return "mac";
  return /Windows/.test(agent) ? "windows" : "linux";
}

/** Quotes a path so that a shell reads it as one word. */
export function quoted(path: string, system: System): string {
  if (/^[\w@%+=:,./~-]+$/.test(path)) return path;
  return system === "windows" ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}

/**
 * Whether an address may be opened: only web addresses, since text from a terminal decides what is
 * clicked.
 */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
