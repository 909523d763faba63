// The plan that the dialog's input makes, asked for while it is typed; nothing is kept by that. Of several requests under way,
// the newest one's answer is shown.
import { CallError } from "~/wire/error";
import type { Plan, ProposePlan } from "~/wire/types";

/** Debounces the preview, so that not every letter sends a request. */
const PAUSE = 250;

export class Proposal {
  plan = $state.raw<Plan | null>(null);
  error = $state.raw<CallError | null>(null);
  /** Whether the plan on show is that of an earlier input. */
  stale = $state(false);
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ask: (request: ProposePlan) => Promise<Plan>) {}

  /** Asks for the plan of an input after a pause; null for none. */
  follow(request: ProposePlan | null) {
    const asked = ++this.#asked;
    clearTimeout(this.#timer);
    if (request === null) {
      [this.plan, this.error, this.stale] = [null, null, false];
      return;
    }
    this.stale = true;
    this.#timer = setTimeout(() => {
      this.ask({ ...request, dryRun: true }).then(
        (plan) => this.#take(asked, plan, null),
        (thrown: unknown) => this.#take(asked, null, CallError.from(thrown)),
      );
    }, PAUSE);
  }

  /** A plan that cannot be done hides the one before it: it will not run. */
  #take(asked: number, plan: Plan | null, error: CallError | null) {
    if (asked !== this.#asked) return;
    [this.plan, this.error, this.stale] = [plan, error, false];
  }

  stop() {
    this.#asked += 1;
    clearTimeout(this.#timer);
  }
}
