// Holds xterm still while a snapshot is written: its scrollbar, which it lays out again for each scrolled
// line (for ten thousand lines that takes longer than parsing them), and its picture. There is no public
// interface for this; if the private one is missing, the scrollbar moves as usual, and the picture appears a
// second later, when xterm stops waiting.

/** The parts of xterm 6 that this uses. */
interface Viewport {
  _isSyncing: boolean;
  _sync(): void;
}

function viewportOf(term: object): Viewport | null {
  const viewport = inside(inside(term, "_core"), "_viewport");
  return isObject(viewport) && isViewport(viewport) ? viewport : null;
}

function inside(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : null;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isViewport(value: object): value is Viewport {
  return (
    "_isSyncing" in value &&
    typeof value._isSyncing === "boolean" &&
    "_sync" in value &&
    typeof value._sync === "function"
  );
}

/** Holds the scrollbar. Returns a function that releases it, at the view's position by then. */
export function holdScrollbar(term: object): () => void {
  const viewport = viewportOf(term);
  if (!viewport) return () => undefined;
  viewport._isSyncing = true;
  return () => {
    viewport._isSyncing = false;
    viewport._sync();
  };
}

/** Ends synchronized output without a sequence, and shows the held picture. */
export function showHeld(term: { rows: number; refresh?(start: number, end: number): void }): void {
  const modes = inside(inside(inside(term, "_core"), "coreService"), "decPrivateModes");
  if (!isObject(modes) || !("synchronizedOutput" in modes)) return;
  modes.synchronizedOutput = false;
  term.refresh?.(0, term.rows - 1);
}
