// Changes a pull request at its forge.
import type { App } from "~/state/app.svelte";
import type { PullChange, PullDetail, SessionId, SessionPull } from "~/wire/types";

/** Which pull request of which session. */
export interface PullRef {
  sessionId: SessionId;
  number: number;
}

export function change(app: App, { sessionId: id, number }: PullRef, change: PullChange) {
  return app.call("changePull", { id, number, change });
}

/** The card of a pull request; absent once its session no longer has it. */
export function cardOf(app: App, { sessionId, number }: PullRef): SessionPull | undefined {
  return app.fleet.session(sessionId)?.pulls.find((pull) => pull.number === number);
}

/** Reads a pull request as it was last seen. */
export async function readDetail(
  app: App,
  { sessionId: id, number }: PullRef,
): Promise<PullDetail | undefined> {
  const all = await app.call("listPulls", { id });
  return all.find(({ card }) => card.number === number);
}

/** Returns the names in a text that separates them by commas. */
export function namesIn(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

/** Returns the accounts in a text: `@ada, grace`. */
export function accountsIn(text: string): string[] {
  return namesIn(text.replaceAll(/\s+/g, ",")).map((name) => name.replace(/^@/, ""));
}

/** Returns the teams in a text by their short names: `@acme/platform` is `platform`. */
export function teamsIn(text: string): string[] {
  return accountsIn(text).map((name) => name.split("/").at(-1) ?? name);
}

/** Whether the forge of a pull request knows teams: GitLab does not. */
export function hasTeams({ url }: SessionPull): boolean {
  return !url.includes("/-/merge_requests/");
}
