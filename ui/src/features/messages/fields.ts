// The field for a message of each session in view, for what is inserted from elsewhere.
import type { SessionId } from "~/wire/types";

const fields = new Map<SessionId, HTMLTextAreaElement>();

export function fieldOf(id: SessionId | null): HTMLTextAreaElement | null {
  return (id === null ? undefined : fields.get(id)) ?? null;
}

/** Keeps a field until the returned function is called. */
export function provideField(id: SessionId, field: HTMLTextAreaElement): () => void {
  fields.set(id, field);
  return () => {
    if (fields.get(id) === field) fields.delete(id);
  };
}
