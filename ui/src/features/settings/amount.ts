// An amount of a budget as it is typed: `5`, `2.50`, `20 000 000`, `20M`. Pure.

const TIMES: Record<string, number> = { "": 1, k: 1_000, m: 1_000_000 };
const MOST_DOLLARS = 1_000_000;

/** Returns the amount; null for none, undefined for what is no amount. */
export function amountOf(typed: string, unit: "usd" | "tokens"): number | null | undefined {
  const text = typed.replace(/[\s_]/g, "").toLowerCase();
  if (text === "") return null;
  const [, number, sign = ""] = /^\$?(\d+(?:\.\d+)?)([km]?)$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  const amount = Number(number) * (TIMES[sign] ?? 1);
  if (unit === "tokens") return amount >= 1 && Number.isSafeInteger(amount) ? amount : undefined;
  return amount >= 0.01 && amount <= MOST_DOLLARS ? amount : undefined;
}
