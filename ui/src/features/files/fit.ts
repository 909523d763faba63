// How large a file may be that is attached, and how a picture becomes small enough. Pure.

/** The most content that the engine keeps of one file: 1 MiB. */
export const MOST_BYTES = 1 << 20;

/** What a browser can decode and encode again. Of an animation, the first picture is left. */
const PICTURES = /^image\/(png|jpeg|webp|gif|bmp|avif)$/;

/** `whole`: as it is. `smaller`: a picture that has to be encoded again. */
export type Treatment = "whole" | "smaller" | "too large";

export function treatmentOf({ type, size }: Pick<Blob, "type" | "size">): Treatment {
  if (size <= MOST_BYTES) return "whole";
  return PICTURES.test(type) ? "smaller" : "too large";
}

/** How a picture is encoded again: the first of these that is small enough. */
export const ATTEMPTS: readonly { side: number; quality: number }[] = [
  { side: 2000, quality: 0.9 },
  { side: 2000, quality: 0.75 },
  { side: 1500, quality: 0.75 },
  { side: 1000, quality: 0.7 },
  { side: 700, quality: 0.6 },
];

export interface Extent {
  width: number;
  height: number;
}

/** The size of a picture whose longer side has at most this many pixels. */
export function fitted({ width, height }: Extent, side: number): Extent {
  const scale = Math.min(1, side / Math.max(width, height));
  const scaled = (length: number) => Math.max(1, Math.round(length * scale));
  return { width: scaled(width), height: scaled(height) };
}

/** `shot.png` as `shot.webp`. */
export function renamed(name: string, type: string): string {
  const ending = type === "image/jpeg" ? "jpg" : (type.split("/")[1] ?? "");
  return `${name.replace(/\.\w{1,5}$/, "")}.${ending}`;
}
