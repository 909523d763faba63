// Encodes a picture again, in the page, until it is small enough to be attached.
import { ATTEMPTS, fitted, MOST_BYTES, renamed, type Extent } from "./fit";

function drawn(picture: ImageBitmap, { width, height }: Extent): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  if (context) context.imageSmoothingQuality = "high";
  context?.drawImage(picture, 0, 0, width, height);
  return canvas;
}

/** Puts white behind a picture, since a JPEG has nothing that shines through. */
function onWhite(canvas: HTMLCanvasElement) {
  const context = canvas.getContext("2d");
  if (!context) return;
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
}

const blobOf = (canvas: HTMLCanvasElement, type: string, quality: number) =>
  new Promise<Blob | null>((done) => canvas.toBlob(done, type, quality));

/** Encodes as WebP where the browser can, else as JPEG. */
async function encoded(canvas: HTMLCanvasElement, quality: number): Promise<Blob | null> {
  const webp = await blobOf(canvas, "image/webp", quality);
  if (webp?.type === "image/webp") return webp;
  onWhite(canvas);
  return blobOf(canvas, "image/jpeg", quality);
}

/** Returns a smaller version of a picture; null if it cannot be read or stays too large. */
export async function smaller(file: File): Promise<File | null> {
  const picture = await createImageBitmap(file).catch(() => null);
  if (picture === null) return null;
  try {
    for (const { side, quality } of ATTEMPTS) {
      const blob = await encoded(drawn(picture, fitted(picture, side)), quality);
      if (blob !== null && blob.size <= MOST_BYTES)
        return new File([blob], renamed(file.name, blob.type), { type: blob.type });
    }
    return null;
  } finally {
    picture.close();
  }
}
