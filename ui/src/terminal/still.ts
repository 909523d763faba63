// Holds xterm's scrollbar still while a snapshot is written. xterm lays it out anew for each line
// that scrolls: for ten thousand lines that takes longer than to parse them. There is no public way
// to say so; where the private one is gone, the scrollbar moves along as before.

/** The parts of xterm 6 that this needs. */
interface Viewport {
  _isSyncing: boolean;
  _sync(): void;
}

function viewportOf(term: object): Viewport | null {
  const core: unknown = "_core" in term ? term._core : null;
  const viewport = isObject(core) && "_viewport" in core ? core._viewport : null;
  return isObject(viewport) && isViewport(viewport) ? viewport : null;
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
