// What can be done with plans and their workers, for menus and buttons alike.
import Ban from "@lucide/svelte/icons/ban";
import Check from "@lucide/svelte/icons/check";
import GitMerge from "@lucide/svelte/icons/git-merge";
import ListPlus from "@lucide/svelte/icons/list-plus";
import Pencil from "@lucide/svelte/icons/pencil";
import RefreshCw from "@lucide/svelte/icons/refresh-cw";
import RotateCcw from "@lucide/svelte/icons/rotate-ccw";
import SkipForward from "@lucide/svelte/icons/skip-forward";
import SquareTerminal from "@lucide/svelte/icons/square-terminal";
import type { MenuEntry } from "~/kit/menu";
import { PRIORITIES } from "~/features/merge-queue/words";
import type { App } from "~/state/app.svelte";
import type { ChangePlan, Plan, PlanChange, PlanWorker } from "~/wire/types";
import { actsOf, isOver, isSpent, mergeable } from "./reading";
import { words } from "./words";

/** Changes a plan, and reports a failure. `what` says what is changed of it. */
export function change(
  app: App,
  { id }: Plan,
  change: PlanChange,
  what: Pick<ChangePlan, "worker" | "priority"> = {},
) {
  return app.attempt(words.changeFailed, () =>
    app.fleet.plans.adopt(() => app.call("changePlan", { id, change, ...what })),
  );
}

/** Runs a plan that was only kept. */
export function run(app: App, { id }: Plan) {
  return app.attempt(words.changeFailed, () =>
    app.fleet.plans.adopt(() => app.call("runPlan", { id })),
  );
}

/** Resumes a plan; one that used up what it was allowed asks for more. */
async function resume(app: App, plan: Plan): Promise<unknown> {
  const isLimited = plan.budget !== undefined || plan.minutes !== undefined;
  if (!isSpent(plan) || !isLimited) return change(app, plan, "resume");
  return app.dialogs.open({ kind: "resumePlan", planId: plan.id });
}

const mergeOf = ({ id }: Plan) => ({ kind: "mergePlan", planId: id }) as const;

/** The main action of a plan; null once it is over and merged. */
export function mainAct(
  app: App,
  plan: Plan,
): { label: string; run: () => Promise<unknown> } | null {
  switch (plan.state) {
    case "proposed":
      return { label: words.run, run: () => run(app, plan) };
    case "running":
      return { label: words.pause, run: () => change(app, plan, "pause") };
    case "paused":
      return { label: words.resume, run: () => resume(app, plan) };
    case "complete":
      return mergeable(plan).length === 0
        ? null
        : { label: words.merge, run: () => Promise.resolve(app.dialogs.open(mergeOf(plan))) };
    case "cancelled":
      return null;
  }
}

/** The priorities, with a mark at the one that a plan has. */
function priorities(app: App, plan: Plan): MenuEntry[] {
  const own = plan.priority ?? "normal";
  return PRIORITIES.map((priority) => ({
    label: words.priorities[priority],
    icon: priority === own ? Check : undefined,
    run: () => void change(app, plan, "prioritize", { priority }),
  }));
}

/** The menu of a plan; empty once it is over and merged. */
export function planMenu(app: App, plan: Plan): MenuEntry[] {
  const merge: MenuEntry[] =
    mergeable(plan).length === 0
      ? []
      : [{ label: words.merge, icon: GitMerge, run: () => app.dialogs.open(mergeOf(plan)) }];
  if (isOver(plan)) return merge;
  return [
    ...merge,
    {
      label: words.editPlan,
      icon: Pencil,
      run: () => app.dialogs.open({ kind: "editPlan", planId: plan.id }),
    },
    {
      label: words.add,
      icon: ListPlus,
      run: () => app.dialogs.open({ kind: "addTasks", planId: plan.id }),
    },
    "separator",
    ...priorities(app, plan),
    "separator",
    {
      label: words.cancel,
      icon: Ban,
      danger: true,
      run: () => app.dialogs.open({ kind: "cancelPlan", planId: plan.id }),
    },
  ];
}

/** The menu of one worker of a plan. */
export function workerMenu(app: App, plan: Plan, worker: PlanWorker): MenuEntry[] {
  const session = app.fleet.session(worker.sessionId);
  const acts = actsOf(plan, worker);
  const entries: MenuEntry[] = [];
  if (session) {
    entries.push({
      label: words.openSession,
      icon: SquareTerminal,
      run: () => app.view.open(session.id),
    });
  }
  if (acts.includes("retry")) {
    entries.push({
      label: words.retry,
      icon: RotateCcw,
      run: () => void change(app, plan, "retry", { worker: worker.name }),
    });
  }
  if (acts.includes("retry") || acts.includes("anew")) {
    entries.push({
      label: acts.includes("retry") ? words.retryOther : words.anew,
      icon: RefreshCw,
      run: () => app.dialogs.open({ kind: "retryWorker", planId: plan.id, worker: worker.name }),
    });
  }
  if (acts.includes("done")) {
    entries.push({
      label: words.doneByHand,
      icon: Check,
      run: () => app.dialogs.open({ kind: "doneByHand", planId: plan.id, worker: worker.name }),
    });
  }
  if (acts.includes("skip")) {
    entries.push({
      label: words.skip,
      icon: SkipForward,
      run: () => app.dialogs.open({ kind: "skipWorker", planId: plan.id, worker: worker.name }),
    });
  }
  return entries;
}
