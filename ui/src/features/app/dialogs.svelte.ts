// Which dialog is open. One at a time; each is asked for by what it is about.
import type { ProjectId, SessionId } from "~/wire/types";

export type DialogRequest =
  | { kind: "palette" }
  | { kind: "keys" }
  | { kind: "newSession"; projectId?: ProjectId; parent?: SessionId }
  | { kind: "addProject"; path?: string }
  | { kind: "removeProject"; projectId: ProjectId }
  | { kind: "rename"; sessionId: SessionId }
  | { kind: "kill"; sessionId: SessionId }
  | { kind: "killWorkers"; sessionId: SessionId }
  | { kind: "remove"; sessionId: SessionId }
  | { kind: "restore"; sessionId: SessionId }
  | { kind: "quit" };

export class Dialogs {
  current = $state.raw<DialogRequest | null>(null);

  open(request: DialogRequest) {
    this.current = request;
  }

  close() {
    this.current = null;
  }
}
