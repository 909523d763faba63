// A part of the interface that the first paint does not need. It is fetched right after that,
// before anybody asks for it, so that nobody waits and a page that outlives an upgrade of its
// engine has all its code.
/** The first paint is over by then, even if the page is not idle for long. */
const LATEST_MS = 400;

export class Part<Component> {
  /** The component, once loaded. */
  shown = $state.raw<Component | null>(null);
  #fetch: () => Promise<{ default: Component }>;
  #coming: Promise<void> | null = null;

  constructor(fetch: () => Promise<{ default: Component }>) {
    this.#fetch = fetch;
  }

  /** Returns a part that is already loaded. */
  static of<Component>(component: Component): Part<Component> {
    const part = new Part<Component>(() => Promise.resolve({ default: component }));
    part.shown = component;
    part.#coming = Promise.resolve();
    return part;
  }

  /** Fetches the part once; after a failure, another call tries again. */
  load(): Promise<void> {
    this.#coming ??= this.#fetch().then(
      ({ default: component }) => void (this.shown = component),
      (error: unknown) => {
        this.#coming = null;
        throw error;
      },
    );
    return this.#coming;
  }
}

/** Fetches parts as soon as the page is idle. Returns a function that cancels it. */
export function loadSoon(...parts: { load(): Promise<void> }[]): () => void {
  const load = () => parts.forEach((part) => void part.load().catch(() => undefined));
  // Safari has no idle callbacks.
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(load, LATEST_MS);
    return () => clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(load, { timeout: LATEST_MS });
  return () => window.cancelIdleCallback(handle);
}
