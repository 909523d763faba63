// What each kind of folder means for adding it. Pure.
import type { Tone } from "~/kit/tone";
import type { FolderKind } from "~/wire/types";

export interface FolderAnswer {
  tone: Tone;
  canAdd: boolean;
  /** What adding the folder creates first; null for nothing. */
  makes: "repository" | "firstCommit" | null;
}

const no = (tone: Tone): FolderAnswer => ({ tone, canAdd: false, makes: null });

export function answerTo(kind: FolderKind): FolderAnswer {
  switch (kind) {
    case "repository":
      return { tone: "work", canAdd: true, makes: null };
    case "plainFolder":
      return { tone: "need", canAdd: true, makes: "repository" };
    case "noCommits":
      return { tone: "need", canAdd: true, makes: "firstCommit" };
    case "alreadyAdded":
      return no("accent");
    case "bare":
    case "missing":
    case "notAFolder":
    case "unreadable":
      return no("bad");
  }
}
