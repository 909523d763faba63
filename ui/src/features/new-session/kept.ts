// The task and the title of a session that was not created yet: the dialog offers them again when it opens.
import type { Drafts } from "~/state/drafts.svelte";

export interface Typed {
  prompt: string;
  title: string;
}

const NOTHING: Typed = { prompt: "", title: "" };

export const isEmpty = ({ prompt, title }: Typed) => `${prompt}${title}`.trim() === "";

export function keptIn(drafts: Drafts): Typed {
  try {
    const { prompt, title } = JSON.parse(drafts.read("newSession")) as Partial<Typed>;
    return typeof prompt === "string" && typeof title === "string" ? { prompt, title } : NOTHING;
  } catch {
    return NOTHING;
  }
}

export function keep(drafts: Drafts, typed: Typed): void {
  drafts.write("newSession", "", isEmpty(typed) ? "" : JSON.stringify(typed));
}
