// Colour arithmetic for the terminal's palette: contrast as WCAG 2 defines it, and mixing. Pure.

/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [number, number, number];

/** The contrast required for text (WCAG AA). */
export const AA = 4.5;

/** Formats a colour as `#rrggbb`. */
export function hex(colour: Rgb): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** Mixes a share of `b` into `a`: 0 is `a`, 1 is `b`. */
export function mix(a: Rgb, b: Rgb, share: number): Rgb {
  const part = (n: 0 | 1 | 2) => a[n] + (b[n] - a[n]) * share;
  return [part(0), part(1), part(2)];
}

/** Returns the contrast of two colours, 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Returns the colour, moved towards black or white just enough to be readable on `ground`. */
export function readable(colour: Rgb, ground: Rgb, least = AA): Rgb {
  if (contrast(colour, ground) >= least) return colour;
  const end: Rgb = luminance(ground) < 0.18 ? [255, 255, 255] : [0, 0, 0];
  let low = 0;
  let high = 1;
  for (let n = 0; n < 12; n += 1) {
    const middle = (low + high) / 2;
    if (contrast(round(mix(colour, end, middle)), ground) >= least) high = middle;
    else low = middle;
  }
  return round(mix(colour, end, high));
}

/** Returns the relative luminance, 0 to 1. */
export function luminance(colour: Rgb): number {
  const linear = (part: number) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2]);
}

function round(colour: Rgb): Rgb {
  return [Math.round(colour[0]), Math.round(colour[1]), Math.round(colour[2])];
}
