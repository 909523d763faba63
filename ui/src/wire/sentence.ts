// What the engine says, which begins small so that it can stand within a line, as a sentence.

/** With a capital letter at its start. */
export const capital = (text: string) => text.replace(/^./u, (first) => first.toUpperCase());

/** With a full stop, unless it ends with a sign of its own. Command lines leave it out. */
export const sentence = (text: string) => (/[\p{L}\p{N}”"`’')]$/u.test(text) ? `${text}.` : text);
