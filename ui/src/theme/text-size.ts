// The size of the interface's text: the tokens of text and rows are multiples of it (`tokens.css`). A copy in local storage
// keeps the first frame of a window from being of another size.
const KEY = "downbeat.text";

/** The size for which the interface is drawn, in CSS pixels, and the bounds of what can be chosen. */
export const TEXT = { usual: 13, least: 11, most: 20 };

export function setTextSize(size: number): void {
  const within = Math.min(TEXT.most, Math.max(TEXT.least, size));
  document.documentElement.style.setProperty("--scale", String(within / TEXT.usual));
  localStorage.setItem(KEY, String(within));
}

/** Takes up the size of the previous window. */
export function recallTextSize(): void {
  const size = Number(localStorage.getItem(KEY));
  if (size > 0) setTextSize(size);
}
