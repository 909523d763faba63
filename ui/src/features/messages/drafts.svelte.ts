// What a person has begun to write to each session: kept while they look at another one.
import { SvelteMap } from "svelte/reactivity";
import type { SessionId } from "~/wire/types";

export const drafts = new SvelteMap<SessionId, string>();
