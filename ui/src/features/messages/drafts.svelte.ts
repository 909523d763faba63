// What the line under a terminal keeps of each session while a person looks at another one: what they
// have begun to write, and the messages that were there, so that they are at once where they were.
import { SvelteMap } from "svelte/reactivity";
import type { Message, SessionId } from "~/wire/types";

export const drafts = new SvelteMap<SessionId, string>();

export const seen = new Map<SessionId, readonly Message[]>();
