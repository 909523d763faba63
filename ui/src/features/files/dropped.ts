// Files dropped onto an element of the page, in a browser. In the desktop window the host takes them instead: it knows
// their paths.
import { holdsFiles } from "~/platform/transfer";

/** Marks the element that would take the files. */
const MARK = "data-takes-files";

/** Passes files that are dropped onto the element to `take`, until the returned function is called. */
export function takeDropped(element: HTMLElement, take: (files: File[]) => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const over = (event: DragEvent) => {
    if (!holdsFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    element.setAttribute(MARK, "");
  };
  const leave = (event: DragEvent) => {
    const to = event.relatedTarget;
    if (!(to instanceof Node) || !element.contains(to)) element.removeAttribute(MARK);
  };
  const drop = (event: DragEvent) => {
    if (!holdsFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.stopPropagation();
    element.removeAttribute(MARK);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) take(files);
  };
  element.addEventListener("dragover", over, { signal });
  element.addEventListener("dragleave", leave, { signal });
  element.addEventListener("drop", drop, { signal });
  return () => {
    ending.abort();
    element.removeAttribute(MARK);
  };
}
