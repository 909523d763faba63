// Who decides the size of a terminal that several viewers watch: the last one to focus or type.
// The keeper resizes the PTY for it and tells everyone; this viewer follows if it is the one, and
// letterboxes if it is not. A state machine: no DOM, no timers.

/** Columns and rows. */
export interface Size {
  cols: number;
  rows: number;
}

/** Sizes asked for and not yet seen in the stream: a drag of the window's edge asks for many. */
const ASKED_AT_MOST = 32;

/** One viewer's say in the size. */
export class SizeClaim {
  /** Whether this viewer decides. */
  decides = false;
  #current: Size | null = null;
  #fits: Size | null = null;
  #asked: Size[] = [];

  /** The size of the terminal, as the stream told. */
  get current(): Size | null {
    return this.#current;
  }

  /** The person focused or typed here: this viewer decides from now on. */
  claim(): Size | null {
    this.decides = true;
    return this.#want();
  }

  /** The space for the terminal changed; null while it has none (hidden or parked). */
  space(fits: Size | null): Size | null {
    this.#fits = fits;
    return this.decides ? this.#want() : null;
  }

  /** The stream told a size. `first` for that of a snapshot, which says nothing of who decides. */
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

  /** Hidden: keeps the size as it is, whatever happens to the layout. */
  park(): void {
    this.decides = false;
    this.#fits = null;
    this.#asked = [];
  }

  /** Whether the terminal is not as large as the space it has here. */
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

/** Whether both are the same size. */
export function same(a: Size | null, b: Size | null): boolean {
  return a !== null && b !== null && a.cols === b.cols && a.rows === b.rows;
}
