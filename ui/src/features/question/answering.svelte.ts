// The answers that are under way, one set per application: views come and go, and a question that
// is answered in one of them is answered in all. Sends an answer once and tells what became of it
// where that is not seen by itself.
import { SvelteMap } from "svelte/reactivity";
import type { App } from "~/state/app.svelte";
import { CallError } from "~/wire/error";
import type { Session, SessionId } from "~/wire/types";
import { words } from "./words";

/** How long an answer that was taken may need to be seen: then it can be given anew. */
const SEEN_WITHIN = 5_000;

interface Given {
  question: string;
  answer: string;
  /** Whether the engine is still at it: it answers a session's questions one at a time. */
  sending: boolean;
}

/** Tells one open question of a session from the next, also where that reads the same. */
export function questionKey({ statusSince, question }: Session): string {
  return JSON.stringify([statusSince, question?.kind, question?.text, question?.options]);
}

/** What names an answer to the engine: its own text, or its number where the text is none. */
export function choiceOf(options: readonly string[], at: number): string {
  const text = options[at]?.trim() ?? "";
  const same = options.filter((option) => option.trim().toLowerCase() === text.toLowerCase());
  return text === "" || /^\d+$/.test(text) || same.length > 1 ? String(at + 1) : text;
}

export class Answering {
  #given = new SvelteMap<SessionId, Given>();

  constructor(readonly app: App) {}

  /** Whether nothing can be answered now, and which answer to this question is under way. */
  under(session: Session): { answer: string | null } | null {
    const given = this.#given.get(session.id);
    if (given?.question === questionKey(session)) return { answer: given.answer };
    return given?.sending ? { answer: null } : null;
  }

  /** Gives one of the answers on offer. */
  async give(session: Session, at: number): Promise<void> {
    const { question } = session;
    const answer = question?.options[at];
    if (!question || answer === undefined) return;
    await this.#send(session, answer, choiceOf(question.options, at));
  }

  /** Replies to a question in prose. Whether the reply is on its way. */
  reply(session: Session, text: string): Promise<boolean> {
    return this.#send(session, text, text);
  }

  async #send(session: Session, answer: string, choice: string): Promise<boolean> {
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
      // What is shown may be what was open a moment ago.
      this.app.fleet.invalidate(["sessions"]);
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
