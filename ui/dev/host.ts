// The fixture host: a Platform over the make-believe engine, with or without the desktop's gifts.
import type { Platform, System } from "~/platform/types";
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
  return {
    ...base,
    pickFolder: () => Promise.resolve("/home/ada/code/picked"),
    quit: { choose: () => Promise.resolve() },
  };
}
