// When the interface has its own typeface: drawn with another first, every word would jump.

/** Longest wait for it: an interface in another typeface is better than none. */
const WAIT_MS = 400;

/** Resolves when the typeface of the interface is there, or when waiting longer is no use. */
export function interfaceFont(): Promise<unknown> {
  const family = getComputedStyle(document.documentElement).getPropertyValue("--ui");
  return Promise.race([
    document.fonts.load(`13px ${family}`),
    new Promise((done) => setTimeout(done, WAIT_MS)),
  ]).catch(() => undefined);
}
