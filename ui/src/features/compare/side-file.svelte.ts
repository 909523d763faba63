// What one compared session changed in the file that is shown of all of them. Read again when the session's changes are.
import { readDiff, type Diff } from "~/features/changes/diff";
import type { Call } from "~/wire/client";
import type { FileChange, SessionId } from "~/wire/types";

export class SideFile {
  /** Null if the session did not change it, or if that is not known yet. */
  file = $state.raw<FileChange | null>(null);
  diff = $state.raw<Diff | null>(null);
  /** Whether it was read at least once. */
  known = $state(false);
  problem = $state<string | null>(null);
  #round = 0;
  /** The content that the diff is of. */
  #shown = "";

  constructor(
    private readonly call: Call,
    private readonly id: SessionId,
  ) {}

  /** Reads the file, unless it is as it was. */
  async read(path: string): Promise<void> {
    const round = ++this.#round;
    const isLate = () => round !== this.#round;
    const asked = { id: this.id, scope: "all" as const };
    try {
      const list = await this.call("listChanges", asked);
      if (isLate()) return;
      const file = list.files.find((one) => one.path === path) ?? null;
      const content = JSON.stringify(file);
      if (file !== null && content !== this.#shown) {
        await readDiff(this.call, asked, file, (diff) => {
          if (isLate()) return false;
          [this.file, this.diff, this.known] = [file, diff, true];
          return true;
        });
        if (isLate()) return;
      }
      this.#shown = content;
      if (file === null) [this.file, this.diff] = [null, null];
      [this.known, this.problem] = [true, null];
    } catch (error) {
      if (isLate()) return;
      this.problem = error instanceof Error ? error.message : String(error);
      this.known = true;
    }
  }

  /** Lets no answer arrive any more. */
  stop(): void {
    this.#round += 1;
  }
}
