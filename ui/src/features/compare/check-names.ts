// The checks of the compared sessions by name, so that each has the same line in every column. Pure.
import type { CheckResult, Checks } from "~/wire/types";

type Results = Pick<CheckResult, "name">;

/** What is read of a session's checks. */
export type Checked = { last: { checks: readonly Results[] } | null } | null;

/** Returns the names in the order of the first session that has each. */
export function namesOf(columns: readonly Checked[]): string[] {
  const all = columns.flatMap((checks) => checks?.last?.checks ?? []);
  return [...new Set(all.map(({ name }) => name))];
}

/** Returns a session's result of a check; undefined if it has none. */
export function resultOf(checks: Checks | null, name: string): CheckResult | undefined {
  return checks?.last?.checks.find((check) => check.name === name);
}
