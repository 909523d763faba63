// Shows that a row of choices goes on: its end fades while there is more in that direction. Not a scrollbar, which
// would take a third of the row's height.
import type { Attachment } from "svelte/attachments";

/** How far the end of the row fades, in CSS pixels. */
const FADE = 28;

const CHOSEN = 'label:has(:checked), [aria-current], [aria-selected="true"]';

/**
 * Attaches to an element that scrolls sideways. What is chosen in it is brought into view when `chosen` changes, unless
 * that is null.
 */
export function edges(chosen: string | null): Attachment<HTMLElement> {
  return (row) => {
    const draw = () => fade(row);
    const observer = new ResizeObserver(draw);
    observer.observe(row);
    row.addEventListener("scroll", draw, { passive: true });
    // The content may change together with the value, right after this.
    const frame = requestAnimationFrame(() => {
      const at = chosen === null ? null : row.querySelector(CHOSEN);
      at?.scrollIntoView({ block: "nearest", inline: "nearest" });
      draw();
    });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      row.removeEventListener("scroll", draw);
    };
  };
}

function fade(row: HTMLElement) {
  const before = row.scrollLeft > 1;
  const after = row.scrollLeft + row.clientWidth < row.scrollWidth - 1;
  const stops = [
    `transparent ${before ? 0 : -FADE}px`,
    `black ${before ? FADE : 0}px`,
    `black calc(100% - ${after ? FADE : 0}px)`,
    `transparent calc(100% + ${after ? 0 : FADE}px)`,
  ];
  row.style.maskImage = before || after ? `linear-gradient(90deg, ${stops.join(", ")})` : "";
}
