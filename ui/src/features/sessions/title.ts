// Splits a title so that its distinguishing end stays visible when it is truncated: `… (Codex)`, `… (fork)`.
// Pure.

export interface TitleParts {
  head: string;
  /** The brackets at the end; empty if there are none, or they are too long to keep. */
  tail: string;
}

const AT_MOST = 20;

export function titleParts(title: string): TitleParts {
  const [, head = "", tail = ""] = /^(.*\S)\s+(\([^()]+\))$/su.exec(title) ?? [];
  return tail === "" || tail.length > AT_MOST ? { head: title, tail: "" } : { head, tail };
}
