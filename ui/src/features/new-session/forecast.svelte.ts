// What creating would do, as the engine last said of what is in the dialog now, and which set-up
// commands the person approved: exactly those that they saw.
import { CallError } from "~/wire/error";
import type { NewSession, SpawnPreview } from "~/wire/types";

/** The preview follows typing without asking for every letter. */
const PAUSE = 180;

export class Forecast {
  preview = $state.raw<SpawnPreview | null>(null);
  error = $state.raw<CallError | null>(null);
  /** The hash of the commands that were ticked; a tick never holds for others. */
  #ticked = $state<string | null>(null);
  #project = "";
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ask: (request: NewSession) => Promise<SpawnPreview>) {}

  readonly needsApproval = $derived.by(() => {
    const setup = this.preview?.setup;
    return setup !== undefined && !setup.approved && setup.commands.length > 0;
  });

  get approved(): boolean {
    return this.#ticked !== null && this.#ticked === this.preview?.setup.hash;
  }

  set approved(yes: boolean) {
    this.#ticked = yes ? (this.preview?.setup.hash ?? null) : null;
  }

  /** Asks a little later; what was asked before no longer counts. */
  follow(request: NewSession) {
    const asked = ++this.#asked;
    const project = request.projectId ?? "";
    clearTimeout(this.#timer);
    if (project !== this.#project) {
      this.#project = project;
      this.preview = null;
      this.error = null;
      this.#ticked = null;
    }
    if (project === "") return;
    this.#timer = setTimeout(() => {
      this.ask(request).then(
        (answer) => {
          if (asked !== this.#asked) return;
          this.preview = answer;
          this.error = null;
        },
        (thrown: unknown) => {
          if (asked === this.#asked) this.error = CallError.from(thrown);
        },
      );
    }, PAUSE);
  }

  stop() {
    this.#asked += 1;
    clearTimeout(this.#timer);
  }
}
