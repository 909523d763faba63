// Decides which of several viewers sets the size of a terminal: the last one to focus or type. The
// keeper resizes the PTY for it and notifies all viewers; this viewer follows if it decides, and
// letterboxes otherwise. A state machine: no DOM, no timers.

/** Columns and rows. */
export interface Size {
  cols: number;
  rows: number;
}

/**
 * Maximum requested sizes not yet seen in the stream: a drag of the window's edge requests many.
 */
const ASKED_AT_MOST = 32;

/** One viewer's claim to the size. */
export class SizeClaim {
  /** Whether this viewer decides. */
  decides = false;
  #current: Size | null = null;
  #fits: Size | null = null;
  #asked: Size[] = [];

  /** The size of the terminal, according to the stream. */
  get current(): Size | null {
    return this.#current;
  }

  /**
   * The person focused or typed here: this viewer decides from now on. Returns the size to request,
   * or null.
   */
  claim(): Size | null {
    this.decides = true;
    return this.#want();
  }

  /** The space for the terminal changed; null while it has none (hidden or parked). */
  space(fits: Size | null): Size | null {
    this.#fits = fits;
    return this.decides ? this.#want() : null;
  }

  /**
   * The stream reported a size. `first` marks a snapshot's size, which does not tell who decides.
   */
  told(size: Size, first: boolean): Size | null {
    this.#current = size;
    if (first) {
      this.#asked = [];
      return this.decides ? this.#want() : null;
    }
    const at = this.#asked.findIndex((asked) => same(asked, size));
    if (at >= 0) {
      this.#asked.splice(0, at + 1);
    } else if (!same(this.#fits, size)) {
      // Another viewer took over.
      this.decides = false;
      this.#asked = [];
    }
    return null;
  }

  /** The terminal is hidden: keeps the size, whatever happens to the layout. */
  park(): void {
    this.decides = false;
    this.#fits = null;
    this.#asked = [];
  }

  /** Whether the terminal's size differs from the space it has here. */
  get letterboxed(): boolean {
    return this.#current !== null && this.#fits !== null && !same(this.#current, this.#fits);
  }

  #want(): Size | null {
    const fits = this.#fits;
    if (!fits || !this.#current) return null;
    if (same(fits, this.#asked.at(-1) ?? this.#current)) return null;
    this.#asked.push(fits);
    if (this.#asked.length > ASKED_AT_MOST) this.#asked.shift();
    return fits;
  }
}

/** Whether both sizes are equal. */
export function same(a: Size | null, b: Size | null): boolean {
  return a !== null && b !== null && a.cols === b.cols && a.rows === b.rows;
}
