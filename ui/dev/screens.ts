// The terminal contents of the fixture sessions.

const GREY = "\x1b[90m";
const END = "\x1b[0m";
const lines = (...text: string[]) => text.join("\r\n");

const BANNER = lines(
  `${GREY}╭──────────────────────────────────────────────────────────╮${END}`,
  `${GREY}│${END} \x1b[38;5;173m✻${END} \x1b[1mClaude Code${END}   ${GREY}~/.downbeat/worktrees/storefront${END}         ${GREY}│${END}`,
  `${GREY}╰──────────────────────────────────────────────────────────╯${END}`,
  "",
);

const QUESTION = lines(
  BANNER,
  `${GREY}❯${END} Build the endpoints the new checkout needs: cart, totals, payment intent.`,
  "",
  `\x1b[32m●${END} I'll start from the existing cart service and add typed routes.`,
  "",
  `\x1b[32m●${END} \x1b[1mUpdate${END}(src/routes/cart.ts)`,
  `  ${GREY}⎿${END}  Added \x1b[1m41${END} lines, removed \x1b[1m6${END}`,
  `     ${GREY}18${END} \x1b[32m+ router.post("/cart/:id/totals", validate(Totals), totals)${END}`,
  `     ${GREY}27${END} \x1b[31m- router.post("/checkout", legacyCheckout)${END}`,
  "",
  `\x1b[32m●${END} \x1b[1mBash${END}(npm run migrate:dev)`,
  `  ${GREY}⎿${END}  Waiting…`,
  "",
  `${GREY}────────────────────────────────────────────────────────────${END}`,
  ` \x1b[1mBash command${END}`,
  "   npm run migrate:dev",
  `   ${GREY}Apply the new payment_intents migration${END}`,
  "",
  " Do you want to proceed?",
  ` \x1b[34m❯ 1. Yes${END}`,
  "   2. Yes, and don't ask again for npm run migrate commands",
  "   3. No ",
);

/** Symbols that agents draw, each in its cell, over letters that show where the cells are. */
const SIGNS = ["✳✻✽✶✢✦●○◐◑◒◓◉⏺⎿❯✓✗✔✘", "☐☒☑⧉⚠⏵⏸⏹▶▲◆◇★☆☰⌘⏎⇧→…", "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏▁▃▅▇█░▒▓╭╯"].flatMap(
  (line) => {
    const signs = Array.from(line);
    return [
      signs.map((sign) => `│${sign}`).join("") + "│",
      signs.map((sign) => `│\x1b[1m${sign}\x1b[0m`).join("") + "│",
      "│x".repeat(signs.length) + "│",
    ];
  },
);

/** A long build log with every palette colour, wide characters, emoji and links. */
const LOG = lines(
  BANNER,
  ...Array.from(
    { length: 400 },
    (_, n) =>
      `\x1b[${31 + (n % 6)}m${String(n + 1).padStart(4)}${END} test src/auth/session-${n}.ts \x1b[32m✓${END} ${n % 7 === 0 ? "漢字 👩‍👩‍👧 ü" : "ok"}`,
  ),
  ...[30, 90].map((from) =>
    Array.from({ length: 8 }, (_, n) => `\x1b[${from + n}m colour ${n} ${END}`).join(""),
  ),
  ...[40, 100].map((from) =>
    Array.from({ length: 8 }, (_, n) => `\x1b[${from + n}m ground ${n} ${END}`).join(""),
  ),
  "\x1b[2mdim\x1b[0m \x1b[1mbold\x1b[0m \x1b[3mitalic\x1b[0m \x1b[4munderline\x1b[0m \x1b[7minverse\x1b[0m \x1b[9mstruck\x1b[0m",
  ...SIGNS,
  "See https://example.com/docs/auth?page=2 or \x1b]8;;https://example.com/hidden\x07this link\x1b]8;;\x07.",
  "\x1b[38;2;250;250;250mwhite of the program's own\x1b[0m \x1b[38;2;20;20;20mblack of its own\x1b[0m",
  "❯ ",
);

const SETUP = lines(
  `${GREY}$ npm ci${END}`,
  "npm warn deprecated inflight@1.0.6: This module is not supported",
  "npm warn deprecated glob@7.2.3: Glob versions prior to v9 are no longer supported",
  "⠧ 412 packages",
);

const SETUP_FAILED = lines(
  SETUP,
  "",
  `npm \x1b[31merror${END} code E404`,
  `npm \x1b[31merror${END} 404 Not Found - GET https://registry.npmjs.org/@storefront%2fmoney`,
  `npm \x1b[31merror${END} 404  '@storefront/money@3.2.0' is not in this registry.`,
  "",
);

/** The screens, by session id. */
export const SCREENS: Record<string, string> = {
  s1: lines(
    BANNER,
    `${GREY}❯${END} Rewrite the checkout. Delegate what can be delegated.`,
    "",
    `\x1b[32m●${END} \x1b[1mdownbeat - spawn_worker${END}(task: "Sign-in, sessions and password reset")`,
    `\x1b[32m●${END} \x1b[1mdownbeat - spawn_worker${END}(task: "API endpoints for cart and totals")`,
    `\x1b[32m●${END} \x1b[1mdownbeat - wait_for_workers${END}(until: "any")`,
    "  waiting for 3 workers…",
    "",
    "❯ ",
  ),
  s2: LOG,
  s3: QUESTION,
  s4: lines(`\x1b[32m●${END} 38 tests written, all green.`, "  Reported: done, 2 files.", "", "❯ "),
  s5: SETUP,
  s6: SETUP_FAILED,
  s7: lines("$ make rotate", "rotated 14 keys", "$ exit", ""),
  e6: SETUP,
  e7: SETUP_FAILED,
};
