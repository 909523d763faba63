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
  Project,
  ProjectId,
  Session,
  SessionId,
  Settings,
  StreamItem,
  Topic,
} from "~/wire/types";
import { isLive, isNeedy, isWorking } from "~/state/sessions/status";
import { Refresher } from "./refresher";
import { merge } from "./merge";

/** The data that the first view needs. */
const FIRST: readonly Topic[] = ["projects", "sessions"];

/** Data that is added to the view when it arrives; nothing waits for it. */
const BESIDE: readonly Topic[] = ["notices", "settings", "messages", "agents"];

const EVERYTHING: readonly Topic[] = [...FIRST, ...BESIDE, "engine"];

const needySince = ({ attention }: Session) => Date.parse(attention?.since ?? "");

export class Fleet {
  projects = $state.raw<readonly Project[]>([]);
  /** Ids in the order of the sidebar. */
  order = $state.raw<readonly SessionId[]>([]);
  #sessions = new SvelteMap<SessionId, Session>();
  notices = $state.raw<readonly Notice[]>([]);
  settings = $state.raw<Settings | null>(null);
  agents = $state.raw<readonly Agent[] | null>(null);
  engine = $state.raw<EngineInfo | null>(null);
  /**
   * Incremented whenever some session's messages changed, so that views of messages read them
   * again.
   */
  messagesChanged = $state(0);
  connection = $state<Connection>("connecting");
  /** True once projects and sessions were read for the first time. */
  loaded = $state(false);
  failure = $state.raw<CallError | null>(null);

  sessions: readonly Session[] = $derived(this.order.flatMap((id) => this.#sessions.get(id) ?? []));
  needy: readonly Session[] = $derived(
    this.sessions.filter(isNeedy).toSorted((a, b) => needySince(a) - needySince(b)),
  );
  working: number = $derived(this.sessions.filter(isWorking).length);
  /** Shells in which a program runs. */
  busyShells: number = $derived(this.engine?.busyShells ?? 0);
  /** Whether quitting would stop anything. */
  holdsAny: boolean = $derived(this.busyShells > 0 || this.sessions.some(isLive));
  unread: number = $derived(this.notices.filter((notice) => !notice.read).length);

  #platform: Platform;
  #refresher: Refresher<Topic>;
  #stop: (() => void) | null = null;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#refresher = new Refresher((topic) => this.#read(topic));
  }

  session(id: SessionId | null): Session | undefined {
    return id === null ? undefined : this.#sessions.get(id);
  }

  project(id: ProjectId): Project | undefined {
    return this.projects.find((project) => project.id === id);
  }

  workersOf(id: SessionId): Session[] {
    return this.sessions.filter((session) => session.parent === id);
  }

  agent(id: string): Agent | undefined {
    return this.agents?.find((agent) => agent.id === id);
  }

  /** Shows a session that an operation returned, before the list is read again. */
  adopt(session: Session) {
    this.#sessions.set(session.id, session);
    if (!this.order.includes(session.id)) this.order = [...this.order, session.id];
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

  invalidate(topics: readonly Topic[]) {
    for (const topic of topics) this.#refresher.ask(topic);
    // Counts and keep-awake depend on sessions.
    if (topics.includes("sessions")) this.#refresher.ask("engine");
  }

  /** Reads everything again after a reconnect: a read in the gap may have failed. */
  #connected(state: Connection) {
    const back = this.connection === "lost" && state === "open";
    this.connection = state;
    if (back) this.invalidate(EVERYTHING);
  }

  #take(item: StreamItem) {
    switch (item.type) {
      case "change":
        return this.invalidate(item.invalidates);
      case "resync":
        return this.invalidate(EVERYTHING);
    }
  }

  async #read(topic: Topic): Promise<void> {
    const call = this.#platform.call;
    switch (topic) {
      case "projects":
        this.projects = await call("listProjects");
        return;
      case "sessions":
        this.#replace(await call("listSessions", {}));
        return;
      case "notices":
        this.notices = await call("listNotices");
        return;
      case "settings":
        this.settings = await call("getSettings");
        return;
      case "messages":
        this.messagesChanged += 1;
        return;
      case "agents":
        this.agents = await call("listAgents");
        return;
      case "engine":
        this.engine = await call("getEngine");
        return;
    }
  }

  #replace(sessions: readonly Session[]) {
    const order = merge(this.#sessions, sessions);
    if (order.length !== this.order.length || order.some((id, i) => id !== this.order[i])) {
      this.order = order;
    }
  }
}
