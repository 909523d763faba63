// What of a session's messages is shown: those that wait, and those a person should know of. Pure.
import type { Message } from "~/wire/types";

/** Those that wait or are being typed, in their order. */
export function waiting(all: readonly Message[]): Message[] {
  return all.filter(({ state }) => state === "queued" || state === "typing");
}

/** Those that did not arrive, or of which that is not known. */
export function troubled(all: readonly Message[]): Message[] {
  return all.filter(isTroubled);
}

/** Whether it did not arrive, or came back, or that is not known. */
export function isTroubled({ state }: Pick<Message, "state">): boolean {
  return state === "uncertain" || state === "failed" || state === "interrupted";
}

/** Why it waits, without the word that its place says already. */
export function why({ detail }: Message): string {
  return detail.replace(/^waits: /, "");
}

/** The first line with something in it, and a sign where more follow. */
export function firstLine(text: string): string {
  const [first = "", ...more] = text.split("\n").filter((line) => line.trim() !== "");
  return more.length > 0 ? `${first} …` : first;
}
