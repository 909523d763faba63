// Short messages at the corner. An error stays until it is dismissed or resolved: the failed action has
// succeeded in the meantime, or the engine answers again.
import type { Tone } from "~/kit/tone";
import { CallError } from "~/wire/error";

const SHOWN_FOR = 6_000;
/** Longer, since a toast with an action must leave time to reach for it. */
const SHOWN_WITH_ACTION = 20_000;
const MOST = 4;

export interface ToastAction {
  label: string;
  run: () => void;
  /** Whether the action is still possible; checked again as things change. Default yes. */
  offered?: () => boolean;
}

export interface ToastMessage {
  title: string;
  text?: string | undefined;
  tone?: Tone;
  action?: ToastAction;
  /** Whether it stays until it is dismissed, as for work in progress. */
  lasting?: boolean;
}

export interface ShownToast extends ToastMessage {
  id: number;
  tone: Tone;
}

export class Toasts {
  shown = $state.raw<ShownToast[]>([]);
  #next = 0;
  /** The toasts that only report that the engine did not answer. */
  #unanswered = new Set<number>();

  show(message: ToastMessage): number {
    const toast = { tone: "work" as const, ...message, id: this.#next++ };
    this.shown = [...this.shown, toast].slice(-MOST);
    if (toast.tone !== "bad" && !toast.lasting) {
      setTimeout(() => this.dismiss(toast.id), toast.action ? SHOWN_WITH_ACTION : SHOWN_FOR);
    }
    return toast.id;
  }

  /** Changes the text of a toast that is still shown. */
  update(id: number, text: string) {
    this.shown = this.shown.map((toast) => (toast.id === id ? { ...toast, text } : toast));
  }

  /** Reports a failure: what failed, why, and what to do. */
  fail(title: string, error: unknown) {
    const { told, code } = CallError.from(error);
    this.worked(title);
    const id = this.show({ title, text: told, tone: "bad" });
    if (code === "unavailable") this.#unanswered.add(id);
  }

  /** Removes the errors with this title, since the action has now succeeded. */
  worked(title: string) {
    if (this.shown.some((toast) => toast.tone === "bad" && toast.title === title))
      this.shown = this.shown.filter((toast) => toast.tone !== "bad" || toast.title !== title);
  }

  /** Removes the errors about an unreachable engine, which answers again. */
  reconnected() {
    for (const id of this.#unanswered) this.dismiss(id);
    this.#unanswered.clear();
  }

  dismiss(id: number) {
    this.shown = this.shown.filter((toast) => toast.id !== id);
  }
}
