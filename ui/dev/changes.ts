// The changes of the fake sessions: files of every kind with their lines. `?changes=empty`, `500` and `long` choose others.
import { CallError } from "~/wire/error";
import type {
  ChangeHunk,
  ChangeMark,
  ChangeScope,
  FileChange,
  FileDiff,
  OpenInEditor,
  SendMessage,
  Session,
  SessionReview,
} from "~/wire/types";
import { minutesAgo } from "./fixtures";
import type { Handlers } from "./handlers";

/** One red and one green picture of a pixel. */
const RED =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const GREEN =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const CART: ChangeHunk = {
  oldStart: 12,
  newStart: 12,
  heading: "export class Cart",
  continues: false,
  rows: [
    " export class Cart {",
    "   readonly #items: Item[] = [];",
    " ",
    "-  /** The sum of all prices. */",
    "-  total(): number {",
    "-    let total = 0;",
    "-    for (const item of this.#items) total += item.price * item.count;",
    "-    return total;",
    "+  /** The sum of all prices, in cents, with tax. */",
    "+  total(rates: TaxRates): Cents {",
    "+    return totals(this.#items, rates).gross;",
    "   }",
    " ",
    "-  get isEmpty() { return this.#items.length == 0; }",
    "+  get isEmpty() { return this.#items.length === 0; }",
    " }",
  ],
};

const TOTALS: ChangeHunk = {
  oldStart: 0,
  newStart: 1,
  heading: "",
  continues: false,
  rows: [
    "+// Totals of a cart, computed once. All amounts are whole cents.",
    '+import type { Cents, Item, TaxRates } from "./money";',
    "+",
    "+export function totals(items: readonly Item[], rates: TaxRates) {",
    "+  const net = items.reduce((sum, { price, count }) => sum + price * count, 0);",
    "+  const tax = Math.round(net * (rates.standard ?? 0.19));",
    "+  return { net, tax, gross: net + tax };",
    "+}",
  ],
};

const file = (
  path: string,
  mark: ChangeMark,
  lines: [number, number] | null,
  more: Partial<FileChange> = {},
): FileChange => ({
  path,
  oldPath: null,
  mark,
  added: lines?.[0] ?? null,
  removed: lines?.[1] ?? null,
  mode: null,
  isSubmodule: false,
  contentId: Array.from(path)
    .reduce((sum, c) => sum + c.charCodeAt(0), 0x10000000)
    .toString(16)
    .padEnd(16, "0"),
  ...more,
});

const USUAL = [
  file("docs/logo.png", "modified", null),
  file("scripts/release.sh", "modified", [0, 0], { mode: "100644 → 100755" }),
  file("src/cart/cart.ts", "modified", [4, 6]),
  file("src/cart/totals.ts", "added", [8, 0]),
  file("src/cart/helpers/old-totals.ts", "deleted", [0, 31]),
  file("src/mails/receipt.ts", "renamed", [1, 1], { oldPath: "src/mail/receipt.ts" }),
  file("src/money.ts", "conflict", [7, 2]),
  file("test/totals.test.ts", "untracked", [92, 0]),
  file("vendor/money", "modified", [1, 1], { isSubmodule: true }),
  file("archive.bin", "untracked", null),
];

const LONG = [
  file(
    "packages/a-package-with-a-very-long-name/src/components/checkout/AVeryLongComponentNameThatGoesOnAndOn.svelte",
    "modified",
    [20_000, 20_000],
  ),
  file("src/\u202egnp.exe", "added", [1, 0]),
];

/** The sessions with the same task changed files of their own. */
const PAIR: Record<string, FileChange[]> = {
  s8: [
    file("src/cart.ts", "modified", [6, 31]),
    file("src/totals.ts", "added", [48, 0]),
    file("test/totals.test.ts", "untracked", [92, 0]),
  ],
  s9: [
    file("docs/totals.png", "modified", null),
    file("src/cart.ts", "modified", [4, 2]),
    file("src/mails/receipt.ts", "modified", [3, 3]),
    file("src/totals.ts", "added", [61, 0]),
    file("test/totals.test.ts", "untracked", [40, 0]),
  ],
};

const WRAPPED: ChangeHunk = {
  ...CART,
  rows: [
    " export class Cart {",
    "   readonly #items: Item[] = [];",
    " ",
    "+  /** Kept for callers of version 3; {@link totals} has the same and more. */",
    "   total(): number {",
    "-    let total = 0;",
    "-    for (const item of this.#items) total += item.price * item.count;",
    "+    const { gross } = totals(this.#items, this.rates);",
    "+    const total = gross;",
    "     return total;",
    "   }",
    " }",
  ],
};

function files(id: string): FileChange[] {
  const own = PAIR[id];
  if (own) return own;
  switch (new URLSearchParams(location.search).get("changes")) {
    case "empty":
      return [];
    case "500":
      return Array.from({ length: 500 }, (_, at) =>
        file(`src/part-${at % 25}/module-${at}.ts`, at % 3 === 0 ? "added" : "modified", [
          at,
          at % 7,
        ]),
      );
    case "long":
      return LONG;
    default:
      return USUAL;
  }
}

/** The files of a selection: a commit has some, what is not committed others, the last turn none. */
function filesIn(
  id: string,
  scope: ChangeScope | undefined,
  turn: number | undefined,
): FileChange[] {
  const all = files(id);
  switch (scope) {
    case "commit":
      return all.filter(({ path }) => path.startsWith("src/cart/"));
    case "uncommitted":
      return all.filter(({ mark }) => mark === "untracked");
    case "turn":
      return turn === undefined ? [] : all.filter(({ path }) => path.startsWith("test/"));
    default:
      return all;
  }
}

function hunksOf({ path, added }: FileChange, from: number, lines: number): ChangeHunk[] {
  if ((added ?? 0) < 20_000) return [path.includes("totals") ? TOTALS : CART];
  const rows = Array.from({ length: Math.min(lines, 40_000 - from) }, (_, at) => {
    const line = from + at;
    return line < 20_000
      ? `-const old_${line} = ${line};`
      : `+const new_${line - 20_000} = ${line - 20_000};`;
  });
  const [oldStart, newStart] = [Math.min(from, 20_000) + 1, Math.max(0, from - 20_000) + 1];
  return [{ oldStart, newStart, heading: "", continues: from > 0, rows }];
}

/** The newest commit of every session. */
const HEAD = "8c1e0d9a1f2e3d4c5b6a79880716253443526170";

/** A review of a session as it is shown. */
export function reviewed(more: Partial<SessionReview> = {}): SessionReview {
  const review: SessionReview = {
    number: 1,
    verdict: "approved",
    by: "person",
    at: minutesAgo(2),
    commit: HEAD,
    uncommitted: 0,
    comments: 0,
    isOutdated: false,
    newer: null,
    text: "",
    ...more,
  };
  const at = review.commit.slice(0, 8);
  const word = review.verdict === "approved" ? "approved" : "changes requested";
  const newer = review.isOutdated ? `; outdated: ${review.newer ?? 1} newer commit` : "";
  return { ...review, text: `${word} by you at ${at}${newer}` };
}

interface Sessions {
  edit(id: string, change: Partial<Session>): Session;
  messages: { send(message: SendMessage): unknown };
  moved: boolean;
  readonly opened: OpenInEditor[];
}

export function changes(
  engine: Sessions,
): Pick<
  Handlers,
  "listChanges" | "getChange" | "discardChange" | "undoDiscard" | "openInEditor" | "reviewSession"
> {
  return {
    reviewSession: ({ id, verdict, commit, message = "", comments = [] }) => {
      if (engine.moved || commit !== HEAD)
        throw new CallError(
          "conflict",
          `the session committed since you looked: ${id} is at 8c1e0d9a`,
        );
      if (verdict === "changesRequested") {
        const places = comments.map(({ path, line, text }) => `${path}:${line}\n${text}`);
        engine.messages.send({ id, content: [message, ...places].filter(Boolean).join("\n\n") });
      }
      const at = new Date().toISOString();
      return engine.edit(id, { review: reviewed({ verdict, at, comments: comments.length }) });
    },
    listChanges: ({ id, scope, turn, ignoreSpace }) => ({
      id,
      since: "main",
      from: "4e1f09a3b7c1d2e5f60718293a4b5c6d7e8f9012",
      to: null,
      head: HEAD,
      note: null,
      // Only white space differs in a file that was renamed.
      files: filesIn(id, scope, turn).filter(({ mark }) => !ignoreSpace || mark !== "renamed"),
      hasMore: false,
      commits: [
        {
          id: HEAD,
          subject: "cart: totals come from one function",
          author: "Claude",
          at: minutesAgo(12),
        },
      ],
      turns: [
        { number: 1, at: minutesAgo(20), commit: "4e1f09a3b7c1d2e5f60718293a4b5c6d7e8f9012" },
      ],
    }),
    discardChange: ({ id, path }) => ({ id, path, number: 1 }),
    undoDiscard: ({ id }) => ({ id, paths: [] }),
    openInEditor: (request) => {
      engine.opened.push(request);
      const { id, path = "" } = request;
      return { id, editor: "Zed", path: `/home/ada/code/shop/${path}` };
    },
    getChange: ({ id, path, from = 0, lines = 2_000 }): FileDiff => {
      const found = files(id).find((each) => each.path === path) ?? null;
      const picture = path.endsWith(".png")
        ? { mediaType: "image/png", before: RED, after: GREEN }
        : null;
      const binary = found?.added === null;
      const notShown = binary ? "binary" : found?.isSubmodule ? "submodule" : null;
      const plain = notShown !== null || found === null || found.mode !== null;
      const total = plain ? 0 : (found.added ?? 0) < 20_000 ? 16 : 40_000;
      const end = from + lines;
      return {
        file: found,
        hunks: plain
          ? []
          : id === "s9" && path === "src/cart.ts"
            ? [WRAPPED]
            : hunksOf(found, from, lines),
        total,
        next: end < total ? end : null,
        notShown: found === null ? "unchanged" : notShown,
        isLossy: false,
        isCut: false,
        picture,
      };
    },
  };
}
