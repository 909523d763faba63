// The lines of one changed file, read page by page, so that the first are shown at once.
import type { Call } from "~/wire/client";
import type { ChangeHunk, FileChange, FileDiff, GetChange } from "~/wire/types";
import { join } from "./lines";

/** The lines that are fetched first, and then at a time. */
const FIRST = 2_000;
const NEXT = 5_000;

export interface Diff extends FileDiff {
  /** All hunks that were read so far, joined. */
  all: ChangeHunk[];
}

/** What is compared, as the list of changes has it. */
type Asked = Omit<GetChange, "path" | "oldPath" | "from" | "lines">;

/** Reads a file; `take` gets what was read so far, and returns whether the rest is wanted. */
export async function readDiff(
  call: Call,
  asked: Asked,
  { path, oldPath }: FileChange,
  take: (diff: Diff, hasMore: boolean) => boolean,
): Promise<void> {
  const pages: ChangeHunk[][] = [];
  let from: number | null = 0;
  while (from !== null) {
    const page: FileDiff = await call("getChange", {
      ...asked,
      path,
      ...(oldPath === null ? {} : { oldPath }),
      from,
      lines: from === 0 ? FIRST : NEXT,
    });
    pages.push(page.hunks);
    from = page.next;
    if (!take({ ...page, all: join(pages) }, from !== null)) return;
  }
}
