// Turns the engine's messages, which begin in lower case to fit within a line, into sentences.

/** Capitalizes the first letter. */
export const capital = (text: string) => text.replace(/^./u, (first) => first.toUpperCase());

/** Adds a full stop, unless the text ends with another sign. Command lines get none. */
export const sentence = (text: string) => (/[\p{L}\p{N}”"`’')]$/u.test(text) ? `${text}.` : text);
