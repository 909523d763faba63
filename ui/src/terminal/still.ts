// Holds xterm still while a snapshot is written: its scrollbar, which it lays out anew for each line
// that scrolls (for ten thousand lines that takes longer than to parse them), and its picture. There
// is no public way to say so; where the private one is gone, the scrollbar moves along as before,
// and the picture comes a second later, when xterm has waited long enough.

/** The parts of xterm 6 that this needs. */
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

/** Holds it still. Returns what lets it go again, to where the view is by then. */
export function holdScrollbar(term: object): () => void {
  const viewport = viewportOf(term);
  if (!viewport) return () => undefined;
  viewport._isSyncing = true;
  return () => {
    viewport._isSyncing = false;
    viewport._sync();
  };
}

/** Ends synchronized output without a sequence, and shows what it held. */
export function showHeld(term: { rows: number; refresh?(start: number, end: number): void }): void {
  const modes = inside(inside(inside(term, "_core"), "coreService"), "decPrivateModes");
  if (!isObject(modes) || !("synchronizedOutput" in modes)) return;
  modes.synchronizedOutput = false;
  term.refresh?.(0, term.rows - 1);
}
