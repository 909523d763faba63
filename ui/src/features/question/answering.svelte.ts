// The answers in flight, one set per application: a question that is answered in one view is
// answered in all. Sends each answer once, and reports its outcome if that is not visible by
// itself.
import { SvelteMap } from "svelte/reactivity";
import type { App } from "~/state/app.svelte";
import { CallError } from "~/wire/error";
import type { SessionSummary, SessionId } from "~/wire/types";
import { words } from "./words";

/** How long an accepted answer may take to show an effect before it can be given again. */
const SEEN_WITHIN = 5_000;

interface Given {
  question: string;
  answer: string;
  /**
   * Whether the engine is still processing it: a session's questions are answered one at a time.
   */
  sending: boolean;
}

/**
 * Returns a key that distinguishes one open question of a session from the next, even with the same
 * text.
 */
export function questionKey({ statusSince, question }: SessionSummary): string {
  return JSON.stringify([statusSince, question?.kind, question?.text, question?.options]);
}

/**
 * Returns how the engine identifies an answer: by its text, or by its number if the text is empty,
 * numeric or not unique.
 */
export function choiceOf(options: readonly string[], at: number): string {
  const text = options[at]?.trim() ?? "";
  const same = options.filter((option) => option.trim().toLowerCase() === text.toLowerCase());
  return text === "" || /^\d+$/.test(text) || same.length > 1 ? String(at + 1) : text;
}

export class Answering {
  #given = new SvelteMap<SessionId, Given>();

  constructor(readonly app: App) {}

  /** Returns non-null while nothing can be answered, with the answer in flight to this question. */
  under(session: SessionSummary): { answer: string | null } | null {
    const given = this.#given.get(session.id);
    if (given?.question === questionKey(session)) return { answer: given.answer };
    return given?.sending ? { answer: null } : null;
  }

  /** Gives one of the offered answers. */
  async give(session: SessionSummary, at: number): Promise<void> {
    const { question } = session;
    const answer = question?.options[at];
    if (!question || answer === undefined) return;
    await this.#send(session, answer, choiceOf(question.options, at));
  }

  /** Replies to a question in prose. Resolves to whether the reply was sent. */
  reply(session: SessionSummary, text: string): Promise<boolean> {
    return this.#send(session, text, text);
  }

  async #send(session: SessionSummary, answer: string, choice: string): Promise<boolean> {
    const { id, title, question } = session;
    if (!question || this.under(session)) return false;
    const given = { question: questionKey(session), answer, sending: true };
    this.#given.set(id, given);
    const request = { id, choice, question: question.text };
    let sent = true;
    try {
      const { delivery, detail } = await this.app.call("answerQuestion", request);
      if (delivery === "taken") {
        this.#taken(id, given);
        return sent;
      }
      this.#tell(id, words.uncertain(title), detail, "need");
    } catch (error) {
      sent = false;
      this.#tell(id, words.failed(title), CallError.from(error).told, "bad");
      // The shown question may be out of date.
      this.app.fleet.changed(id);
    }
    this.#given.delete(id);
    return sent;
  }

  #taken(id: SessionId, given: Given) {
    const seen = { ...given, sending: false };
    this.#given.set(id, seen);
    setTimeout(() => {
      if (this.#given.get(id) === seen) this.#given.delete(id);
    }, SEEN_WITHIN);
  }

  #tell(id: SessionId, title: string, text: string, tone: "need" | "bad") {
    const run = () => this.app.view.open(id, "terminal");
    this.app.toasts.show({ title, text, tone, action: { label: words.openTerminal, run } });
  }
}

const sets = new WeakMap<App, Answering>();

export function answeringOf(app: App): Answering {
  const known = sets.get(app);
  if (known) return known;
  const answering = new Answering(app);
  sets.set(app, answering);
  return answering;
}
