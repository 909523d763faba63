// Waits for the interface's typeface: if another one were drawn first, every word would jump.

/** Longest wait for it: an interface in another typeface is better than none. */
const WAIT_MS = 400;

/** Resolves when the interface's typeface is loaded, or when waiting longer is pointless. */
export function interfaceFont(): Promise<unknown> {
  const family = getComputedStyle(document.documentElement).getPropertyValue("--ui");
  return Promise.race([
    document.fonts.load(`13px ${family}`),
    new Promise((done) => setTimeout(done, WAIT_MS)),
  ]).catch(() => undefined);
}
