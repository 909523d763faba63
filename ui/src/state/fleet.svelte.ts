// The engine's data as the interface shows it: projects, sessions, notices, settings, agents, and
// the engine itself. Filled by queries; a change only says which of them to repeat. However many
// changes arrive, at most one query of a kind is in flight, at most one batch is sent per pause,
// and a row is redrawn only when its own data changed.
import { SvelteMap } from "svelte/reactivity";
import type { Connection, Platform } from "~/platform/types";
import { CallError } from "~/wire/error";
import type {
  Agent,
  EngineInfo,
  Notice,
  NotifierState,
  PlanId,
  Project,
  ProjectId,
  Session,
  SessionId,
  SessionSummary,
  Settings,
  StreamItem,
  Topic,
} from "~/wire/types";
import { isLive, isNeedy, isWorking } from "~/state/sessions/status";
import { planOf, Plans } from "./plans.svelte";
import { Refresher } from "./refresher";
import { Roster } from "./roster.svelte";

/** The data that the first view needs. */
const FIRST: readonly Topic[] = ["projects", "sessions"];

/** Data that is added to the view when it arrives; nothing waits for it. */
const BESIDE: readonly Wanted[] = ["notices", "settings", "messages", "agents", "plans"];

const EVERYTHING: readonly Wanted[] = [...FIRST, ...BESIDE, "engine"];

/** The maximum number of sessions requested by id; if more changed, the whole list is read. */
const MOST = 64;

const needySince = ({ attention }: SessionSummary) => Date.parse(attention?.since ?? "");

/** A topic, or all plans: changes of plans name theirs. */
type Wanted = Topic | "plans";

/** What is read: a topic, all plans, one plan, or all data of one session. */
type Read = Wanted | `plan ${PlanId}` | `whole ${SessionId}`;

export class Fleet {
  projects = $state.raw<readonly Project[]>([]);
  #roster = new Roster();
  /** The sessions that changed and are to be read again. */
  #changed = new Set<SessionId>();
  notices = $state.raw<readonly Notice[]>([]);
  settings = $state.raw<Settings | null>(null);
  agents = $state.raw<readonly Agent[] | null>(null);
  /** Who gets notices; read once the settings show it, then after each change. */
  notifiers = $state.raw<readonly NotifierState[] | null>(null);
  #wantsNotifiers = false;
  readonly plans = new Plans();
  engine = $state.raw<EngineInfo | null>(null);
  /** How often each session's messages changed, and how often any may have. */
  #messages = new SvelteMap<SessionId, number>();
  #anyMessages = $state(0);
  /** The sessions whose messages changed since the last pause; null for any. */
  #messaged: Set<SessionId> | null = new Set();
  /** Incremented whenever a session may have changed, so that a merge queue on show is read again. */
  sessionsChanged = $state(0);
  connection = $state<Connection>("connecting");
  /** True once projects and sessions were read for the first time. */
  loaded = $state(false);
  failure = $state.raw<CallError | null>(null);

  sessions: readonly SessionSummary[] = $derived(this.#roster.all);
  /** Ids in the order of the sidebar. */
  order: readonly SessionId[] = $derived(this.#roster.order);
  needy: readonly SessionSummary[] = $derived(
    this.sessions.filter(isNeedy).toSorted((a, b) => needySince(a) - needySince(b)),
  );
  working: number = $derived(this.sessions.filter(isWorking).length);
  /** Shells in which a program runs. */
  busyShells: number = $derived(this.engine?.busyShells ?? 0);
  /** Whether quitting would stop anything. */
  holdsAny: boolean = $derived(this.busyShells > 0 || this.sessions.some(isLive));
  unread: number = $derived(this.notices.filter((notice) => !notice.read).length);

  #platform: Platform;
  #refresher: Refresher<Read>;
  #stop: (() => void) | null = null;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#refresher = new Refresher((read) => this.#read(read));
  }

  session(id: SessionId | null): SessionSummary | undefined {
    return id === null ? undefined : this.#roster.summary(id);
  }

  /** Returns all data of a session on show; data that was not read yet is empty. */
  whole(id: SessionId): Session | undefined {
    return this.#roster.whole(id);
  }

  /** Reads all data of a session, now and whenever it changes, until the returned function is called. */
  look(id: SessionId): () => void {
    const leave = this.#roster.look(id);
    this.#refresher.ask(`whole ${id}`);
    return leave;
  }

  project(id: ProjectId): Project | undefined {
    return this.projects.find((project) => project.id === id);
  }

  /** Returns a number that is another one whenever messages of a session may have changed, so that a view reads them again. */
  messagesOf(id: SessionId): number {
    return this.#anyMessages + (this.#messages.get(id) ?? 0);
  }

  workersOf(id: SessionId): SessionSummary[] {
    return this.sessions.filter((session) => session.parent === id);
  }

  agent(id: string): Agent | undefined {
    return this.agents?.find((agent) => agent.id === id);
  }

  /** Shows a session that an operation returned, before the list is read again. */
  adopt(session: SessionSummary) {
    this.#roster.adopt(session);
  }

  /** Reads everything and follows changes from there. Retries until the engine answers. */
  async start(): Promise<void> {
    try {
      const engine = await this.#platform.call("getEngine");
      this.#stop = this.#platform.subscribe(engine.seq, {
        item: (item) => this.#take(item),
        connection: (state) => this.#connected(state),
      });
      this.engine = engine;
      for (const topic of BESIDE) this.#refresher.ask(topic);
      await Promise.all(FIRST.map((topic) => this.#read(topic)));
      this.loaded = true;
      this.failure = null;
    } catch (error) {
      this.#stop?.();
      this.failure = CallError.from(error);
      this.connection = this.failure.code === "forbidden" ? "refused" : "lost";
      if (this.connection === "lost") setTimeout(() => void this.start(), 1_000);
    }
  }

  stop() {
    this.#stop?.();
    this.#refresher.stop();
  }

  /** Reads the notifiers, now and whenever something became of a notice. */
  lookAtNotifiers() {
    this.#wantsNotifiers = true;
    this.#refresher.ask("notifiers");
  }

  /** Reads again what is out of date; `session` means the sessions with these ids. */
  invalidate(topics: readonly Wanted[], ids: readonly SessionId[] = []): void {
    if (topics.includes("session") || topics.includes("sessions")) this.sessionsChanged += 1;
    for (const topic of topics) {
      if (topic === "messages") this.#markMessages(ids);
      if (topic === "session") ids.forEach((id) => this.changed(id));
      else this.#refresher.ask(topic);
    }
    if (!topics.includes("sessions")) return;
    // Counts and keep-awake follow from sessions.
    this.#refresher.ask("engine");
    for (const id of this.#roster.allLookedAt()) this.#refresher.ask(`whole ${id}`);
  }

  /** Reads a session that changed again, and only the other sessions that the change may affect. */
  changed(id: SessionId) {
    this.#changed.add(id);
    // Whether a conductor waits for its workers depends on those below it.
    for (
      let up = this.session(id)?.parent;
      up && !this.#changed.has(up);
      up = this.session(up)?.parent
    )
      this.#changed.add(up);
    // The places of queued sessions depend on the running ones.
    for (const { id: other, status } of this.sessions) {
      if (status === "queued") this.#changed.add(other);
    }
    this.#refresher.ask("session");
    this.#refresher.ask("engine");
    for (const shown of this.#roster.lookedAt(id)) this.#refresher.ask(`whole ${shown}`);
  }

  /** Has all data of one plan read; a list of plans has it shortened. */
  readPlan(id: PlanId): void {
    this.#refresher.ask(`plan ${id}`);
  }

  /** Reads everything again after a reconnect: a read in the gap may have failed. */
  #connected(state: Connection) {
    const back = this.connection === "lost" && state === "open";
    this.connection = state;
    if (back) this.invalidate(EVERYTHING);
  }

  #take(item: StreamItem) {
    switch (item.type) {
      case "change": {
        const plan = planOf(item.subject);
        if (plan !== null) this.#refresher.ask(`plan ${plan}`);
        return this.invalidate(item.invalidates, item.sessionId === null ? [] : [item.sessionId]);
      }
      case "resync":
        return this.invalidate(EVERYTHING);
    }
  }

  async #read(read: Read): Promise<void> {
    const call = this.#platform.call;
    switch (read) {
      case "projects":
        this.projects = await call("listProjects");
        // The plans of a removed project go with it, and others lose it; no change names them.
        if (
          this.plans.all?.some(({ projectId, projects = [] }) =>
            [projectId, ...projects.map(({ id }) => id)].some((id) => !this.project(id)),
          )
        )
          this.#refresher.ask("plans");
        return;
      case "sessions":
        this.#roster.list(this.#roster.asks(), await call("listSessions", {}));
        return;
      case "session":
        return this.#readChanged();
      case "notices":
        this.notices = await call("listNotices");
        return;
      case "settings":
        this.settings = await call("getSettings");
        return;
      case "messages":
        return this.#countMessages();
      case "agents":
        this.agents = await call("listAgents");
        return;
      case "plans":
        this.plans.list(this.plans.asks(), await call("listPlans", {}));
        return;
      case "notifiers":
        if (this.#wantsNotifiers) this.notifiers = await call("listNotifiers");
        return;
      case "engine":
        this.engine = await call("getEngine");
        return;
      default: {
        const [kind, id = ""] = read.split(" ");
        return kind === "plan" ? this.#readPlan(id) : this.#readWhole(id);
      }
    }
  }

  /** Remembers whose messages changed, until the pause is over; without ids it may be anyone's. */
  #markMessages(ids: readonly SessionId[]): void {
    if (ids.length === 0) this.#messaged = null;
    else ids.forEach((id) => this.#messaged?.add(id));
  }

  #countMessages(): void {
    const changed = this.#messaged;
    this.#messaged = new Set();
    if (changed === null) this.#anyMessages += 1;
    for (const id of changed ?? []) this.#messages.set(id, (this.#messages.get(id) ?? 0) + 1);
  }

  async #readPlan(id: PlanId): Promise<void> {
    const asked = this.plans.asks();
    try {
      this.plans.one(asked, id, await this.#platform.call("planStatus", { id }));
    } catch (error) {
      // It went with its project.
      if (CallError.from(error).code !== "not_found") throw error;
      this.plans.one(asked, id, null);
    }
  }

  async #readChanged(): Promise<void> {
    const ids = [...this.#changed];
    this.#changed.clear();
    if (ids.length === 0) return;
    try {
      if (ids.length > MOST) return await this.#read("sessions");
      const asked = this.#roster.asks();
      this.#roster.some(asked, ids, await this.#platform.call("listSessions", { ids }));
    } catch (error) {
      for (const id of ids) this.#changed.add(id);
      throw error;
    }
  }

  async #readWhole(id: SessionId): Promise<void> {
    if (!this.#roster.isLookedAt(id)) return;
    const asked = this.#roster.asks();
    try {
      this.#roster.read(asked, await this.#platform.call("getSession", { id }));
    } catch (error) {
      // It was taken off the list.
      if (CallError.from(error).code !== "not_found") throw error;
    }
  }
}
