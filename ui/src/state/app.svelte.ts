// The one object that components get through context: the host, the engine's data, and the view.
import { createContext } from "svelte";
import { Fleet } from "./fleet.svelte";
import type { Platform } from "~/platform/types";
import { ThemeState } from "~/theme/theme.svelte";
import type { Arguments, Call, Op } from "~/wire/client";
import { OPERATIONS } from "~/wire/operations";
import { Dialogs } from "./dialogs.svelte";
import { Drafts } from "./drafts.svelte";
import { Commands } from "./keys/commands.svelte";
import type { CommandRows } from "./keys/table";
import { Kept } from "./kept";
import { Sidebar } from "./sidebar.svelte";
import { Toasts } from "./toasts.svelte";
import { ViewState } from "./view.svelte";

/** The ids in a request and in its answer: of sessions, or of things that no list of sessions contains. */
function idsOf(...parts: unknown[]): string[] {
  return parts.flatMap((part) => {
    const id = part instanceof Object && "id" in part ? part.id : null;
    return typeof id === "string" ? [id] : [];
  });
}

export class App {
  readonly fleet: Fleet;
  readonly kept: Kept;
  readonly view: ViewState;
  readonly sidebar: Sidebar;
  readonly drafts = new Drafts();
  readonly dialogs = new Dialogs();
  readonly toasts = new Toasts();
  readonly theme = new ThemeState();
  readonly commands: Commands;
  /**
   * Inserts text into a terminal or a composer of the view; returns whether it could. Null if there is none.
   */
  insert: ((into: Element, text: string) => boolean) | null = null;

  constructor(
    readonly platform: Platform,
    rows: CommandRows,
  ) {
    this.fleet = new Fleet(platform);
    this.kept = new Kept(platform.call);
    this.view = new ViewState(this.kept);
    this.sidebar = new Sidebar(this.kept);
    this.view.panes.projectOf = (id) => this.fleet.session(id)?.projectId ?? null;
    const desk = { rows, system: platform.system, inBrowser: platform.reservesKeys };
    this.commands = new Commands(desk, () => this.fleet.settings?.keys ?? {});
  }

  /** Calls an operation, and reads again what it invalidates without waiting for the stream. */
  readonly call: Call = async <O extends Op>(op: O, ...request: Arguments<O>) => {
    const answer = await this.platform.call(op, ...request);
    this.fleet.invalidate(OPERATIONS[op].invalidates, idsOf(request[0], answer));
    return answer;
  };

  /** Does something for the person, and reports a failure. Returns whether it succeeded. */
  async attempt(failure: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      this.toasts.worked(failure);
      return true;
    } catch (error) {
      this.toasts.fail(failure, error);
      return false;
    }
  }
}

export const [useApp, provideApp] = createContext<App>();
