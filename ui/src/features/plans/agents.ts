// The agents that can work for a plan, as options of a choice.
import { words as session } from "~/features/new-session/words";
import type { SelectOption } from "~/kit/select";
import type { App } from "~/state/app.svelte";

/** Returns the agents; the first option, with an empty value, leaves the choice to `none`. */
export function agentOptions(app: App, none: string, aside?: string): SelectOption<string>[] {
  return [
    { value: "", label: none, aside },
    ...(app.fleet.agents ?? [])
      // A shell takes no task.
      .filter(({ id }) => id !== "shell")
      .map(({ id, name, installed, version, installHint }) => ({
        value: id,
        label: name,
        aside: version ?? undefined,
        detail: installed ? undefined : session.missing(installHint),
        disabled: !installed,
      })),
  ];
}
