// Which dialog is open. One at a time; each request names its subject.
import type { PlanId, ProjectId, SessionId } from "~/wire/types";
import type { EndedScope } from "./sessions/ended";

/** How an ended session leaves the list. */
export type Leaving = "archive" | "forget";

/** What a dialog changes of a pull request. */
export type PullDialog = "edit" | "comment" | "labels" | "reviewers" | "close";

export type DialogRequest =
  | { kind: "palette"; said?: true }
  | { kind: "keys" }
  | { kind: "newSession"; projectId?: ProjectId; parent?: SessionId; several?: true }
  | { kind: "newPlan"; projectId?: ProjectId | undefined; path?: string; text?: string }
  | { kind: "cancelPlan"; planId: PlanId }
  | { kind: "resumePlan"; planId: PlanId }
  | { kind: "addTasks"; planId: PlanId }
  | { kind: "editPlan"; planId: PlanId }
  | { kind: "mergePlan"; planId: PlanId }
  | { kind: "editTask"; planId: PlanId; task: string }
  | { kind: "doneByHand"; planId: PlanId; worker: string }
  | { kind: "retryWorker"; planId: PlanId; worker: string }
  | { kind: "skipWorker"; planId: PlanId; worker: string }
  | { kind: "addProject"; path?: string }
  | { kind: "removeProject"; projectId: ProjectId }
  | { kind: "startFix"; projectId: ProjectId }
  | { kind: "trust"; projectId: ProjectId }
  | { kind: "moveProject"; projectId: ProjectId }
  | { kind: "cleanUp"; projectId: ProjectId }
  | { kind: "removeEnded"; scope: EndedScope; then?: DialogRequest }
  | { kind: "several"; how: "stop" | "kill" | "archive" | "remove"; ids: readonly SessionId[] }
  | { kind: "stopAll" }
  | { kind: "keep"; sessionId: SessionId; others: readonly SessionId[] }
  | { kind: "rename"; sessionId: SessionId }
  | { kind: "createPull"; sessionId: SessionId }
  | { kind: "changePull"; sessionId: SessionId; number: number; what: PullDialog }
  | { kind: "reactionHistory"; sessionId: SessionId }
  | { kind: "projectReactions"; projectId: ProjectId }
  | { kind: "kill"; sessionId: SessionId }
  | { kind: "killWorkers"; sessionId: SessionId }
  | { kind: "remove"; sessionId: SessionId }
  | { kind: "restore"; sessionId: SessionId }
  | { kind: "restart"; sessionId: SessionId }
  | { kind: "fork"; sessionId: SessionId }
  | { kind: "handOver"; sessionId: SessionId }
  | {
      kind: "closeShell";
      sessionId: SessionId;
      shell: SessionId;
      number: number;
      program: string | null;
    }
  | { kind: "leave"; sessionId: SessionId; how: Leaving; why: string }
  | { kind: "archive"; projectId: ProjectId }
  | { kind: "quit" };

/** The maximum number of queued dialogs: more than one command ever requests. */
const WAITING = 16;

export class Dialogs {
  current = $state.raw<DialogRequest | null>(null);
  #next: DialogRequest[] = [];

  open(request: DialogRequest) {
    this.current = request;
  }

  /** Opens the dialog once no other is open. */
  openNext(request: DialogRequest) {
    if (this.current === null) this.current = request;
    else if (this.#next.length < WAITING) this.#next.push(request);
  }

  close() {
    this.current = this.#next.shift() ?? null;
  }
}
