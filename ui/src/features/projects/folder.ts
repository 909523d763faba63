// What each kind of folder means for adding it. Pure.
import type { Tone } from "~/kit/tone";
import type { FolderKind } from "~/wire/types";

export interface FolderAnswer {
  tone: Tone;
  canAdd: boolean;
  /** Adding it makes a repository, or a first commit, first. */
  initialize: boolean;
}

const no = (tone: Tone): FolderAnswer => ({ tone, canAdd: false, initialize: false });

export function answerTo(kind: FolderKind): FolderAnswer {
  switch (kind) {
    case "repository":
      return { tone: "work", canAdd: true, initialize: false };
    case "plainFolder":
      return { tone: "need", canAdd: true, initialize: true };
    case "alreadyAdded":
      return no("accent");
    case "noCommits":
      return no("need");
    case "bare":
    case "missing":
    case "notAFolder":
    case "unreadable":
      return no("bad");
  }
}
