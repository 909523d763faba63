// A part of the interface that the first paint does without. It is fetched right after that, long
// before anybody asks for it, so that nobody waits, and so that a page which outlives an upgrade of
// its engine has everything already.
/** The first paint is over by then, also where the page is not idle for long. */
const LATEST_MS = 400;

export class Part<Component> {
  /** The component, once it is here. */
  shown = $state.raw<Component | null>(null);
  #fetch: () => Promise<{ default: Component }>;
  #coming: Promise<void> | null = null;

  constructor(fetch: () => Promise<{ default: Component }>) {
    this.#fetch = fetch;
  }

  /** One that is here already. */
  static of<Component>(component: Component): Part<Component> {
    const part = new Part<Component>(() => Promise.resolve({ default: component }));
    part.shown = component;
    part.#coming = Promise.resolve();
    return part;
  }

  /** Fetches it, once; after a failure another call tries again. */
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

/** Fetches parts as soon as the page has nothing better to do. Answers the way to undo. */
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
