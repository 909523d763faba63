// The entries of the palette: sessions, commands and projects; which of them match the query, best first; and
// the recent choices. Draws nothing.
import type { App } from "~/state/app.svelte";
import type { Kept } from "~/state/kept";
import { fieldOf } from "~/features/messages/fields";
import { insertPrompt } from "~/features/prompts/insert";
import type { Prompt } from "~/features/prompts/saved";
import { promptsOf } from "~/features/prompts/store.svelte";
import { words as settingsWords } from "~/features/settings/words";
import { GROUPS, type CommandId } from "~/state/keys/table";
import { isNeedy } from "~/state/sessions/status";
import type { SettingsPage } from "~/state/view.svelte";
import type { Project, SessionSummary } from "~/wire/types";
import { score, type Findable } from "./match";
import { words } from "./words";

interface Common extends Findable {
  id: string;
  section: string;
  run: () => void;
}
export type Entry = Common &
  (
    | { kind: "session"; session: SessionSummary; project: string }
    | { kind: "command"; command: CommandId }
    /** A page of the settings. */
    | { kind: "page" }
    | { kind: "project"; project: Project }
    /** A saved prompt, for the message field of the session in view. */
    | { kind: "prompt"; prompt: Prompt }
  );

export interface Section {
  name: string;
  entries: Entry[];
}

/** The session's group comes first: the palette is mostly about the session in view. */
const IN_ORDER = ["Session", ...GROUPS.filter((group) => group !== "Session")];
const PAGES = Object.keys(settingsWords.pages) as SettingsPage[];
/** Recent choices listed at the top. */
const LATELY = 4;
const KEPT = 12;
/** Sessions listed before anything is typed, so that commands stay visible. */
const SESSIONS = 7;
/** The bonus of a recent choice: less than that of a better match. */
const BONUS = 8;
const KEY = "downbeat.palette";

export function lately(kept: Kept): string[] {
  try {
    const ids: unknown = JSON.parse(kept.get(KEY) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

export function remember(kept: Kept, id: string): void {
  const ids = [id, ...lately(kept).filter((other) => other !== id)].slice(0, KEPT);
  kept.set(KEY, JSON.stringify(ids));
}

function sessionEntry(app: App, session: SessionSummary): Entry {
  const project = app.fleet.project(session.projectId)?.name ?? "";
  return {
    kind: "session",
    id: session.id,
    section: words.sessions,
    title: session.title,
    others: [session.name, session.branch ?? "", project],
    session,
    project,
    run: () => app.view.open(session.id),
  };
}

function commandEntry(app: App, command: CommandId): Entry {
  const { title, group } = app.commands.row(command);
  return {
    kind: "command",
    id: command,
    section: group,
    title: app.commands.handler(command)?.title?.() ?? title,
    others: [title, group],
    command,
    run: () => app.commands.run(command),
  };
}

function pageEntry(app: App, page: SettingsPage): Entry {
  return {
    kind: "page",
    id: `settings ${page}`,
    section: words.settings,
    title: settingsWords.pages[page],
    others: [words.settings, ...(settingsWords.finds[page] ?? [])],
    run: () => app.view.show({ kind: "settings", page }),
  };
}

function projectEntry(app: App, project: Project): Entry {
  return {
    kind: "project",
    id: `new ${project.id}`,
    section: words.projects,
    title: project.name,
    others: [words.projects, project.path],
    project,
    run: () => app.dialogs.open({ kind: "newSession", projectId: project.id }),
  };
}

function promptEntry(app: App, prompt: Prompt): Entry {
  return {
    kind: "prompt",
    id: `prompt ${prompt.name}`,
    section: words.prompts,
    title: prompt.name,
    others: [words.prompts, prompt.text],
    prompt,
    run: () => {
      const field = fieldOf(app.view.sessionId);
      if (field) insertPrompt(field, prompt);
      // The palette returns the focus to where it was before.
      setTimeout(() => app.commands.run("writeMessage"));
    },
  };
}

/** Returns everything that can be chosen now, in display order. */
export function entriesOf(app: App): Entry[] {
  const commands = app.commands.available().filter((id) => id !== "palette");
  const prompts = fieldOf(app.view.sessionId) ? (promptsOf(app).all ?? []) : [];
  return [
    ...app.fleet.sessions.map((session) => sessionEntry(app, session)),
    ...IN_ORDER.flatMap((group) =>
      commands.filter((id) => app.commands.row(id).group === group),
    ).map((id) => commandEntry(app, id)),
    ...app.fleet.projects.map((project) => projectEntry(app, project)),
    ...prompts.map((prompt) => promptEntry(app, prompt)),
    ...PAGES.map((page) => pageEntry(app, page)),
  ];
}

function bySection(entries: readonly Entry[]): Section[] {
  const sections = new Map<string, Entry[]>();
  for (const entry of entries) {
    const list = sections.get(entry.section);
    if (list) list.push(entry);
    else sections.set(entry.section, [entry]);
  }
  return [...sections].map(([name, list]) => ({ name, entries: list }));
}

/**
 * Returns the sections for an empty query: recent choices, then the rest. The session in view is left out.
 */
function unasked(entries: readonly Entry[], recent: readonly string[], inView: string | null) {
  const others = entries.filter(({ id }) => id !== inView);
  const top = recent
    .flatMap((id) => others.find((entry) => entry.id === id) ?? [])
    .slice(0, LATELY);
  const rest = others.filter((entry) => !top.includes(entry));
  const isUrgent = (entry: Entry) => entry.kind === "session" && isNeedy(entry.session);
  const sessions = rest.filter(({ kind }) => kind === "session");
  const urgent = [...sessions.filter(isUrgent), ...sessions.filter((entry) => !isUrgent(entry))];
  // Pages and prompts are found by their names; something else leads to them, too.
  const byName = ["session", "page", "prompt"];
  const commands = rest.filter(({ kind }) => !byName.includes(kind));
  const shown = [...urgent.slice(0, SESSIONS), ...commands];
  const sections = bySection(shown);
  return top.length === 0 ? sections : [{ name: words.lately, entries: top }, ...sections];
}

/** Returns the sections that match the query, best match first, also within each section. */
export function find(
  entries: readonly Entry[],
  query: string,
  recent: readonly string[],
  inView: string | null,
): Section[] {
  if (query.trim() === "") return unasked(entries, recent, inView);
  const bonus = (id: string) => (recent.includes(id) ? BONUS : 0);
  const fitting = entries
    .map((entry) => ({ entry, score: score(query, entry) }))
    .filter(({ score }) => score > 0)
    .map(({ entry, score }) => ({ entry, score: score + bonus(entry.id) }))
    .sort((a, b) => b.score - a.score);
  return bySection(fitting.map(({ entry }) => entry));
}
