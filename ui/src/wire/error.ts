// An error of the wire, as an exception.
import { capital, sentence } from "./sentence";
import type { ApiError, Code } from "./types";

const CODES: Record<Code, true> = {
  not_found: true,
  ambiguous: true,
  invalid: true,
  forbidden: true,
  exists: true,
  conflict: true,
  unsaved_work: true,
  not_a_repository: true,
  limit_reached: true,
  too_deep: true,
  agent_missing: true,
  approval_needed: true,
  unavailable: true,
  failed: true,
};

export class CallError extends Error {
  override readonly name = "CallError";
  constructor(
    readonly code: Code,
    message: string,
    readonly hint: string | null = null,
  ) {
    super(message);
  }

  /** The advice, as a sentence. */
  get advice(): string | null {
    if (this.hint === null || this.hint === "") return null;
    return sentence(capital(this.hint));
  }

  /** The problem and the advice, one line each, for people. */
  get told(): string {
    const message = BEGINS.test(this.message) ? capital(this.message) : this.message;
    return [sentence(message), this.advice].filter(Boolean).join("\n");
  }

  /** Converts whatever a host threw or returned. Never fails. */
  static from(value: unknown): CallError {
    if (value instanceof CallError) return value;
    if (isApiError(value)) return new CallError(value.code, value.message, value.hint ?? null);
    const message = value instanceof Error ? value.message : String(value);
    return new CallError("failed", message);
  }
}

/** First words that may be capitalized. A message may also begin with a name, which stays as it is. */
const BEGINS =
  /^(the|there|this|that|it|its|no|not|nothing|an?|only|one|cannot|could|what|your?)\b/;

export function isApiError(value: unknown): value is ApiError {
  if (typeof value !== "object" || value === null) return false;
  const { code, message } = value as Partial<Record<string, unknown>>;
  return typeof code === "string" && code in CODES && typeof message === "string";
}
