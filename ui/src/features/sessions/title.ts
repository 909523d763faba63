// Where a title is cut, what tells it from others at its end stays in sight: `… (Codex)`, `… (fork)`. Pure.

export interface TitleParts {
  head: string;
  /** What stands in brackets at the end; empty where nothing does, or too much to keep. */
  tail: string;
}

const AT_MOST = 20;

export function titleParts(title: string): TitleParts {
  const [, head = "", tail = ""] = /^(.*\S)\s+(\([^()]+\))$/su.exec(title) ?? [];
  return tail === "" || tail.length > AT_MOST ? { head: title, tail: "" } : { head, tail };
}
