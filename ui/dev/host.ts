// The fixture host: a Platform over the fake engine, with or without the desktop's capabilities.
import type { HostAsk, Platform, System } from "~/platform/types";
import { CallError } from "~/wire/error";
import { FixtureEngine } from "./engine";
import { openTerminal } from "./keeper";

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
  let ask: ((ask: HostAsk) => void) | null = null;
  return {
    ...base,
    pickFolder: () => Promise.resolve("/home/ada/code/picked"),
    onAsk: (handler) => {
      ask = handler;
      return () => (ask = null);
    },
    quit: {
      begin: () => Promise.resolve(ask?.({ type: "quit" })),
      choose: () => Promise.resolve(),
    },
  };
}
