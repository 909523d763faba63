// Selects which of a session's messages are shown: the queued ones, and those with a problem. Pure.
import type { Message } from "~/wire/types";

/** Returns the messages that are queued or being typed, in their order. */
export function waiting(all: readonly Message[]): Message[] {
  return all.filter(({ state }) => state === "queued" || state === "typing");
}

/** Returns the messages that were not delivered, or whose delivery is uncertain. */
export function troubled(all: readonly Message[]): Message[] {
  return all.filter(isTroubled);
}

/** Whether the message was not delivered, came back, or its delivery is uncertain. */
export function isTroubled({ state }: Pick<Message, "state">): boolean {
  return state === "uncertain" || state === "failed" || state === "interrupted";
}

/** Returns the first nonblank line, with a sign if more follows. */
export function firstLine(text: string): string {
  const [first = "", ...more] = text.split("\n").filter((line) => line.trim() !== "");
  return more.length > 0 ? `${first} …` : first;
}
