// What the composer keeps of each session while another one is in view: the draft and the messages that were
// read, so that both are there immediately on return.
import { SvelteMap } from "svelte/reactivity";
import type { Message, SessionId } from "~/wire/types";

export const drafts = new SvelteMap<SessionId, string>();

export const seen = new Map<SessionId, readonly Message[]>();
