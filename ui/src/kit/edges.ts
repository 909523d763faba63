// Shows that a row of choices goes on: its end fades while there is more in that direction. Not a scrollbar, which
// would take a third of the row's height.
import type { Attachment } from "svelte/attachments";

/** How far the end of the row fades, in CSS pixels. */
const FADE = 28;

/**
 * Attaches to an element that scrolls sideways. `chosen` is the value of what is chosen in it, which is brought into
 * view when it changes.
 */
export function edges(chosen: string): Attachment<HTMLElement> {
  return (row) => {
    const draw = () => fade(row);
    const observer = new ResizeObserver(draw);
    observer.observe(row);
    row.addEventListener("scroll", draw, { passive: true });
    row
      .querySelector(`label:has(input[value="${CSS.escape(chosen)}"])`)
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
    return () => {
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
