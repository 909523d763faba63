// The engine's latest preview of the dialog's input, and the set-up commands that the person
// approved: exactly those that were shown.
import { CallError } from "~/wire/error";
import type { NewSession, SpawnPreview } from "~/wire/types";

/** Debounces the preview, so that not every letter sends a request. */
const PAUSE = 180;

export class Forecast {
  preview = $state.raw<SpawnPreview | null>(null);
  error = $state.raw<CallError | null>(null);
  /** The hash of the approved commands; an approval never applies to others. */
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

  /** Requests a preview after a pause; earlier requests are ignored. */
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
