// The fake engine's side shells: opened, closed, and some that exist from the start.
import { CallError } from "~/wire/error";
import type { Session, Shell } from "~/wire/types";
import { minutesAgo } from "./fixtures";
import type { Handlers, Numbers } from "./handlers";
import { SCREENS } from "./screens";

interface Engine {
  edit(id: string, change: Partial<Session>): Session;
}

const PROMPT = "\x1b[90m~/worktrees/cart\x1b[0m \x1b[32mfeature/cart\x1b[0m $ ";

/** The programs in the shells that exist from the start. */
const RUNS = [null, "npm", null, "vim", null, "a-program-with-a-very-long-name"];

function shell(of: Session, number: number, runs: string | null): Shell {
  const id = `${of.id}-shell-${number}`;
  SCREENS[id] = runs === null ? PROMPT : `${PROMPT}${runs} run dev\r\n`;
  return {
    id,
    name: `${of.name}/shell-${number}`,
    number,
    status: runs === null ? "idle" : "running",
    statusSince: minutesAgo(3),
    runs,
  };
}

/** Refuses, without `force`, to take a session off the list if a program runs in its shells. */
export function held(of: Session, force = false): void {
  const busy = of.shells.filter(({ runs }) => runs !== null);
  if (force || busy.length === 0) return;
  const runs = busy.map(({ runs }) => runs).join(", ");
  const what =
    busy.length === 1 ? `a shell that runs ${runs}` : `${busy.length} shells that run ${runs}`;
  throw new CallError("unsaved_work", `${of.name} has ${what}`);
}

/** Returns `count` shells beside a session. */
export function beside(of: Session, count: number): Shell[] {
  return Array.from({ length: count }, (_, at) =>
    shell(of, at + 1, RUNS[at % RUNS.length] ?? null),
  );
}

export function shells(engine: Engine, next: Numbers): Pick<Handlers, "openShell" | "closeShell"> {
  return {
    openShell: ({ id }) => {
      const of = engine.edit(id, {});
      const taken = of.shells.map(({ number }) => number);
      let number = 1;
      while (taken.includes(number)) number += 1;
      const opened = { ...shell(of, number, null), id: `${of.id}-new-${next()}` };
      SCREENS[opened.id] = PROMPT;
      engine.edit(id, { shells: [...of.shells, opened].sort((a, b) => a.number - b.number) });
      return opened;
    },
    closeShell: ({ id, shell, force }) => {
      const of = engine.edit(id, {});
      const one = of.shells.find((other) => other.id === shell || `${other.number}` === shell);
      if (!one) throw new CallError("not_found", `There is no shell ${shell}.`);
      if (one.runs !== null && !force) {
        throw new CallError("conflict", `${one.name} runs ${one.runs}`);
      }
      engine.edit(id, { shells: of.shells.filter((other) => other !== one) });
      return {};
    },
  };
}
