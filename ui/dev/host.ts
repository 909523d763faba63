// The fixture host: a Platform over the make-believe engine, with or without the desktop's gifts.
import type { Platform, System, TerminalHandlers, TerminalPipe } from "~/platform/types";
import { CallError } from "~/wire/error";
import { FixtureEngine } from "./engine";

const SCREEN = [
  "\x1b[90m╭──────────────────────────────────────────────────────────╮\x1b[0m",
  "\x1b[90m│\x1b[0m \x1b[38;5;173m✻\x1b[0m \x1b[1mClaude Code\x1b[0m   \x1b[90m~/.downbeat/worktrees/storefront/api-endpoints\x1b[0m",
  "\x1b[90m╰──────────────────────────────────────────────────────────╯\x1b[0m",
  "",
  "\x1b[90m❯\x1b[0m Build the endpoints the new checkout needs: cart, totals, payment intent.",
  "",
  "\x1b[32m●\x1b[0m I'll start from the existing cart service and add typed routes.",
  "",
  "\x1b[32m●\x1b[0m \x1b[1mUpdate\x1b[0m(src/routes/cart.ts)",
  "  \x1b[90m⎿\x1b[0m  Added \x1b[1m41\x1b[0m lines, removed \x1b[1m6\x1b[0m",
  '     \x1b[90m18\x1b[0m \x1b[32m+ router.post("/cart/:id/totals", validate(Totals), totals)\x1b[0m',
  '     \x1b[90m27\x1b[0m \x1b[31m- router.post("/checkout", legacyCheckout)\x1b[0m',
  "",
  "\x1b[32m●\x1b[0m \x1b[1mBash\x1b[0m(npm run migrate:dev)",
  "  \x1b[90m⎿\x1b[0m  Waiting…",
  "",
  " Do you want to proceed?",
  " \x1b[35m❯ 1. Yes\x1b[0m",
  "   2. Yes, and don't ask again for npm run migrate commands",
  "   3. No",
].join("\r\n");

function snapshot(): Uint8Array {
  const text = new TextEncoder().encode(SCREEN);
  const frame = new Uint8Array(13 + text.length);
  const view = new DataView(frame.buffer);
  view.setBigUint64(1, BigInt(text.length));
  view.setUint16(9, 100);
  view.setUint16(11, 30);
  frame.set(text, 13);
  return frame;
}

function openTerminal(_: string, handlers: TerminalHandlers): Promise<TerminalPipe> {
  setTimeout(() => handlers.frame(snapshot()), 20);
  return Promise.resolve({ send: () => undefined, close: () => undefined });
}

export interface FixtureOptions {
  system: System;
  desktop: boolean;
  /** `lost`: the connection drops after a second. `refused`: the token is bad. `slow`: 3 s each. */
  trouble: string;
}

export function fixtureHost(engine: FixtureEngine, options: FixtureOptions): Platform {
  const refused = options.trouble === "refused";
  const base: Platform = {
    system: options.system,
    reservesKeys: !options.desktop,
    call: refused
      ? () => Promise.reject(new CallError("forbidden", "This token is not valid."))
      : engine.call,
    subscribe: (_, { item, connection }) => {
      connection("open");
      if (options.trouble === "lost") setTimeout(() => connection("lost"), 400);
      return engine.listen(item);
    },
    openTerminal,
    copy: (text) => navigator.clipboard.writeText(text),
    openUrl: () => Promise.resolve(),
  };
  if (!options.desktop) return base;
  return {
    ...base,
    pickFolder: () => Promise.resolve("/home/ada/code/picked"),
    quit: { choose: () => Promise.resolve(), cancel: () => Promise.resolve() },
  };
}
