// Small texts that several features share.

/** `3 workers`, `1 worker`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** `1.2 GB`, in powers of ten as file managers count. */
export function bytes(number: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = number;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit] ?? ""}`;
}
