// The queues of the fake engine: messages that are queued, moved and delivered.
import { minutesAgo } from "./fixtures";
import { CallError } from "~/wire/error";
import type { EditMessage, Message, MessageReceipt, SendMessage, Session } from "~/wire/types";

interface Sessions {
  edit(id: string, change: Partial<Session>): Session;
  world: { sessions: Session[]; messages?: Message[] };
}

/** Two messages queued for the session s2, and one whose delivery is uncertain. */
const USUAL = [
  { id: 97, text: "And note it in the changelog.", state: "uncertain", place: null },
  { id: 98, text: "Keep the old cookie readable for one release.", state: "queued", place: 1 },
  { id: 99, text: "Then run the whole suite:\n\nnpm test", state: "queued", place: 2 },
] as const;

const DETAILS = {
  queued: "the agent is working",
  uncertain: "typed; nothing shows that the agent accepted it",
};

export class FixtureMessages {
  #last = 100;

  constructor(readonly engine: Sessions) {}

  get #all(): Message[] {
    return (this.engine.world.messages ??= USUAL.map((message): Message => ({
      ...message,
      sessionId: "s2",
      from: message.id === 98 ? "s1" : "person",
      when: "when-ready",
      detail: DETAILS[message.state],
      createdAt: minutesAgo(1),
      changedAt: minutesAgo(1),
    })));
  }

  set #all(messages: Message[]) {
    this.engine.world.messages = messages;
  }

  #session(id: string): Session {
    const found = this.engine.world.sessions.find((s) => s.id === id || s.name === id);
    if (!found) throw new CallError("not_found", `There is no session ${id}.`);
    return found;
  }

  of(name: string): Message[] {
    const { id } = this.#session(name);
    return this.#all.filter((message) => message.sessionId === id);
  }

  /** Numbers the queued messages and sets their count on the session. */
  #number(name: string) {
    const { id } = this.#session(name);
    let place = 0;
    for (const message of this.of(id)) {
      message.place = message.state === "queued" ? (place += 1) : null;
    }
    this.engine.edit(id, { queued: place });
  }

  send({ id: name, content, when }: SendMessage): MessageReceipt {
    const { id, status } = this.#session(name);
    const busy = status === "running" && when !== "now";
    const now = new Date().toISOString();
    const detail = busy ? "the agent is working" : "the agent's prompt hook fired";
    this.#last += 1;
    const state = busy ? "queued" : "delivered";
    this.#all.push({
      id: this.#last,
      sessionId: id,
      place: null,
      text: content,
      from: "person",
      when: when ?? "when-ready",
      state,
      detail,
      createdAt: now,
      changedAt: now,
    });
    this.#number(id);
    return { message: this.#last, state, detail };
  }

  edit({ id, message: number, text, place, when, again }: EditMessage): Message {
    const queue = this.of(id);
    const message = queue.find((one) => one.id === Number(number));
    if (!message) throw new CallError("not_found", `There is no message ${number}.`);
    if (text !== undefined) message.text = text;
    if (when !== undefined) Object.assign(message, { when, state: "delivered" });
    if (again) Object.assign(message, { state: "queued", detail: "the agent is working" });
    if (place !== undefined) {
      const others = this.#all.filter((one) => one !== message);
      const waiting = others.filter((one) => one.sessionId === message.sessionId && one.place);
      const before = waiting[place - 1];
      others.splice(before ? others.indexOf(before) : others.length, 0, message);
      this.#all = others;
    }
    this.#number(id);
    return message;
  }

  remove(number: number): Record<string, never> {
    const message = this.#all.find((one) => one.id === number);
    this.#all = this.#all.filter((one) => one.id !== number);
    if (message) this.#number(message.sessionId);
    return {};
  }
}
