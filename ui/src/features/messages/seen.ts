// The messages of each session as they were read last, so that its queue is there immediately on return. Nothing here is stored.
import type { Message, SessionId } from "~/wire/types";

export const seen = new Map<SessionId, readonly Message[]>();
