// The files that prompts name in the fake engine, and those that were attached.
import { matches } from "~/features/files/mention";
import { CallError } from "~/wire/error";
import type { Handlers } from "./handlers";

const FILES = [
  "README.md",
  "docs/architecture.md",
  "docs/my notes.md",
  "package.json",
  "src/cart/Cart.svelte",
  "src/cart/cart.ts",
  "src/cart/totals.ts",
  "src/cart/totals.test.ts",
  "src/cart/discounts/by-customer.ts",
  "src/cart/discounts/by-quantity.ts",
  "src/mails/receipt.ts",
  "src/money.ts",
  "packages/checkout-with-a-very-long-name/src/components/summary/SummaryOfTheCartWithItsDiscounts.svelte",
  "test/fixtures/carts/empty.json",
  "test/fixtures/carts/large.json",
];

/** As the real engine: 1 MiB. */
const MOST = 1 << 20;

export function files(): Pick<Handlers, "findFiles" | "attachFile"> {
  let last = 0;
  return {
    findFiles: ({ query = "", limit = 20 }) => {
      const isWhole = (path: string) => path.toLowerCase().includes(query.toLowerCase());
      const found = FILES.filter((path) => matches(path, query)).toSorted(
        (one, other) => Number(isWhole(other)) - Number(isWhole(one)),
      );
      return { files: found.slice(0, limit), hasMore: found.length > limit };
    },
    attachFile: ({ name, data }) => {
      if (atob(data).length > MOST) throw new CallError("invalid", "A file has at most 1 MiB.");
      last += 1;
      return { path: `/home/ada/.local/share/downbeat/attached/${last}/${name}` };
    },
  };
}
