// The files that a paste or a drop brings.

/** The parts of a clipboard or of a drop that matter here. */
type Transfer = Pick<DataTransfer, "files" | "types" | "getData">;

/**
 * Returns the files of a paste; none if it has text, which stays a paste of text: a spreadsheet adds a picture of what
 * was copied. A file manager adds the names of the files, which are no text of their own.
 */
export function filesPasted(data: Transfer | null): File[] {
  const files = [...(data?.files ?? [])];
  const text = data?.getData("text/plain").trim() ?? "";
  const names = files.map(({ name }) => name);
  const isNames = text.split(/\r?\n/).every((line) => names.includes(line));
  return text === "" || isNames ? files : [];
}

/** Whether a drag holds files: their content is only there once they are dropped. */
export function holdsFiles(data: Pick<DataTransfer, "types"> | null): boolean {
  return data?.types.includes("Files") === true;
}

/**
 * Returns the pictures on the clipboard, for a paste that brings nothing: some browsers leave them out of a paste as
 * plain text. None if the page may not read it.
 */
export async function picturesOnClipboard(): Promise<File[]> {
  try {
    const items = await navigator.clipboard.read();
    const found = items.flatMap((item) => {
      const type = item.types.includes("text/plain")
        ? undefined
        : item.types.find((one) => one.startsWith("image/"));
      return type === undefined ? [] : [item.getType(type)];
    });
    const pictures = await Promise.all(found);
    return pictures.map(
      (blob) => new File([blob], `image.${blob.type.split("/")[1]}`, { type: blob.type }),
    );
  } catch {
    return [];
  }
}
