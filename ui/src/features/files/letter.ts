// Where a letter of a text field is on the page. Browsers do not tell: a copy of the field is laid out, with a mark.

/** What decides where a line ends and how high it is. */
const SAME = [
  "boxSizing",
  "width",
  "borderWidth",
  "borderStyle",
  "padding",
  "fontFamily",
  "fontSize",
  "fontStyle",
  "fontWeight",
  "fontFeatureSettings",
  "letterSpacing",
  "lineHeight",
  "tabSize",
  "overflowWrap",
  "wordBreak",
] as const;

/** The line of a letter, and its left edge, in CSS pixels of the page. */
export interface Spot {
  left: number;
  top: number;
  bottom: number;
}

export function spotOf(field: HTMLTextAreaElement, at: number): Spot {
  const style = getComputedStyle(field);
  const copy = document.createElement("div");
  for (const name of SAME) copy.style[name] = style[name];
  Object.assign(copy.style, {
    position: "absolute",
    top: "0",
    left: "0",
    visibility: "hidden",
    whiteSpace: "pre-wrap",
  });
  const mark = document.createElement("span");
  mark.textContent = field.value.slice(at) || ".";
  copy.append(field.value.slice(0, at), mark);
  copy.ariaHidden = "true";
  field.after(copy);
  const own = copy.getBoundingClientRect();
  const [first] = mark.getClientRects();
  copy.remove();
  const { left, top } = field.getBoundingClientRect();
  const line = first ?? own;
  const y = top + line.top - own.top - field.scrollTop;
  return { left: left + line.left - own.left, top: y, bottom: y + line.height };
}
