// Text from outside as it may be shown.

/** Text from outside, with what cannot be seen or turns its neighbours around replaced by a visible sign. */
export function shown(text: string): string {
  return text.replace(
    // eslint-disable-next-line no-control-regex -- these are the characters to show
    /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => {
      const code = c.charCodeAt(0);
      return code < 0x20 ? String.fromCharCode(0x2400 + code) : "�";
    },
  );
}
