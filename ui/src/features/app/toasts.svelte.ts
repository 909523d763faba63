// Short messages at the corner. Errors stay until dismissed or followed by many others.
import type { Tone } from "~/kit/tone";
import { CallError } from "~/wire/error";

const SHOWN_FOR = 6_000;
/** With an action there must be time to reach for it. */
const SHOWN_WITH_ACTION = 20_000;
const MOST = 4;

export interface ToastAction {
  label: string;
  run: () => void;
  /** Whether it can still be done; asked again as things change. Default yes. */
  offered?: () => boolean;
}

export interface ToastMessage {
  title: string;
  text?: string | undefined;
  tone?: Tone;
  action?: ToastAction;
}

export interface ShownToast extends ToastMessage {
  id: number;
  tone: Tone;
}

export class Toasts {
  shown = $state.raw<ShownToast[]>([]);
  #next = 0;

  show(message: ToastMessage): number {
    const toast = { tone: "work" as const, ...message, id: this.#next++ };
    this.shown = [...this.shown, toast].slice(-MOST);
    if (toast.tone !== "bad") {
      setTimeout(() => this.dismiss(toast.id), toast.action ? SHOWN_WITH_ACTION : SHOWN_FOR);
    }
    return toast.id;
  }

  /** Tells that something failed: what, why, and the way out. */
  fail(title: string, error: unknown) {
    this.show({ title, text: CallError.from(error).told, tone: "bad" });
  }

  dismiss(id: number) {
    this.shown = this.shown.filter((toast) => toast.id !== id);
  }
}
