// Keeps the most recently used values and drops the others. Pure.

/** At most `most` values by key; using one makes it the newest. */
export class Recent<Value> {
  #most: number;
  #drop: (key: string, value: Value) => void;
  #values = new Map<string, Value>();

  constructor(most: number, drop: (key: string, value: Value) => void) {
    this.#most = most;
    this.#drop = drop;
  }

  /** Adds a value as the newest; drops the oldest ones beyond the limit. */
  put(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    for (const [oldKey, old] of this.#values) {
      if (this.#values.size <= this.#most) return;
      this.#values.delete(oldKey);
      this.#drop(oldKey, old);
    }
  }

  /** Removes and returns a value without dropping it. */
  take(key: string): Value | undefined {
    const value = this.#values.get(key);
    this.#values.delete(key);
    return value;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  entries(): [string, Value][] {
    return [...this.#values];
  }
}
