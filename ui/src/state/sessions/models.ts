// The models that sessions of an agent used: suggestions for another one. Pure.
import type { SessionSummary } from "~/wire/types";

export function modelsOf(
  sessions: readonly Pick<SessionSummary, "agent" | "model">[],
  agent: string | undefined,
): string[] {
  const used = sessions.filter((session) => session.agent === agent).map(({ model }) => model);
  return [...new Set(used)].filter((model) => model !== null).toSorted();
}
