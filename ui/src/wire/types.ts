// Generated from crates/wire by `npm run wire`. Do not edit.

/**
 * The identifier of a session, which survives renames, resumes and engines.
 */
export type SessionId = string;

/**
 * The identifier of a project, which survives renames and moves.
 */
export type ProjectId = string;

/**
 * The identifier of a plan, which survives renames and moves of its file.
 */
export type PlanId = string;

/**
 * The part a session plays.
 */
export type Role = "conductor" | "worker" | "session";

/**
 * The directory a session runs in.
 */
export type Workspace = "worktree" | "in-place";

/**
 * The actions that an agent may take without asking, from strictest to freest. The order is the rule that
 * a child never exceeds its parent.
 */
export type PermissionMode = "plan" | "ask" | "acceptEdits" | "bypass";

/**
 * The one word people see for the state of a session, always shown with its [`Evidence`] and its age.
 */
export type Status = "queued" | "spawning" | "setup_failed" | "running" | "waiting" | "idle" | "unknown" | "paused" | "exited" | "killed" | "errored";

/**
 * The finer observation under a live session's status.
 */
export type Activity = "active" | "waiting_input" | "blocked" | "ready" | "idle" | "unknown" | "exited";

/**
 * The state of the tools that an agent was given.
 */
export type ToolsState = "awaited" | "listed" | "missing";

/**
 * The source that a status comes from.
 */
export type EvidenceSource = "hook" | "title" | "screen" | "transcript" | "output" | "input" | "process" | "tool" | "engine";

/**
 * The evidence for a status: what was seen, by what, and when.
 */
export type Evidence = { 
/**
 * The source that saw it.
 */
source: EvidenceSource, 
/**
 * A few words that a person can check: `PermissionRequest hook`.
 */
detail: string, 
/**
 * The time at which it was seen.
 */
at: string, };

/**
 * The kind of answer that an open question asks for.
 */
export type QuestionKind = "permission" | "trust" | "choice" | "blocked" | "asks";

/**
 * A question that keeps a session waiting, with the text a person needs to decide.
 */
export type Question = { 
/**
 * The kind of answer that the question asks for.
 */
kind: QuestionKind, 
/**
 * The question, as plain text: `Bash: npm run migrate:dev`.
 */
text: string, 
/**
 * The answers offered, in their order; empty if the agent does not say.
 */
options: Array<string>, };

/**
 * The kind of thing that a session waits for.
 */
export type ReasonKind = "question" | "limit" | "retrying" | "failed" | "paused" | "queued" | "starting" | "not_started" | "stuck" | "no_folder";

/**
 * The reason why a session is not working.
 */
export type Reason = { 
/**
 * The kind of the reason.
 */
kind: ReasonKind, 
/**
 * The reason in one line: `cannot continue: Invalid API key`.
 */
text: string, 
/**
 * The time at which the reason ends by itself, if that is known: the next try, the end of a limit.
 */
until: string | null, };

/**
 * The kind of thing that the person has to see to.
 */
export type AttentionKind = "question" | "blocked" | "limit" | "budget" | "setup_failed" | "errored" | "message" | "no_progress";

/**
 * Why a session needs the person.
 */
export type Attention = { 
/**
 * The kind of thing that the person has to see to.
 */
kind: AttentionKind, 
/**
 * Why, in one line: `Bash: npm run migrate:dev`.
 */
why: string, 
/**
 * The time since which it needs the person.
 */
since: string, };

/**
 * A column of the board.
 */
export type Column = "working" | "needsYou" | "inReview" | "readyToMerge" | "done";

/**
 * The kind of an event. Readers ignore kinds that they do not know.
 */
export type EventKind = "project-added" | "project-changed" | "project-removed" | "session-created" | "session-step" | "session-fact" | "fact" | "session-status" | "session-changed" | "message-changed" | "message-sent" | "question-answered" | "worker-reported" | "worker-asked" | "workers-collided" | "checks-finished" | "merge-finished" | "reviewed" | "reacted" | "session-exited" | "session-stopped" | "session-killed" | "session-resumed" | "session-handed-over" | "session-paused" | "session-went-on" | "budget-warned" | "session-archived" | "session-unarchived" | "workspace-removed" | "work-restored" | "session-removed" | "notice" | "settings-changed" | "agents-changed" | "engine-started";

/**
 * What a face does differently. A code exists only because someone acts on it; all else is
 * [`Code::Failed`].
 */
export type Code = "not_found" | "ambiguous" | "invalid" | "forbidden" | "exists" | "conflict" | "unsaved_work" | "not_a_repository" | "limit_reached" | "too_deep" | "agent_missing" | "approval_needed" | "unavailable" | "failed";

/**
 * An error on any face.
 */
export type ApiError = { 
/**
 * What a program may act on.
 */
code: Code, 
/**
 * What is wrong, naming the thing.
 */
message: string, 
/**
 * The way out, where there is one.
 */
hint?: string | null, };

/**
 * What a reader may have to ask for again after a change.
 */
export type Topic = "projects" | "sessions" | "session" | "messages" | "notices" | "notifiers" | "settings" | "agents" | "engine";

/**
 * One event of the global sequence, without its payload.
 */
export type Change = { 
/**
 * Place in the one global order, from 1, without gaps for a reader of everything.
 */
seq: number, 
/**
 * When it was written.
 */
at: string, 
/**
 * What happened.
 */
kind: EventKind, 
/**
 * What the event is about, as one word: `session:ID`, `project:ID`, `pull:FORGE/ID`, `branch:PROJECT/NAME`,
 * `plan:ID`, or `engine`. Readers ignore other words.
 */
subject: string, 
/**
 * The project that the event belongs to, if any.
 */
projectId: ProjectId | null, 
/**
 * The session it is about, if any; for a side shell, the session beside it.
 */
sessionId: SessionId | null, 
/**
 * What a reader should ask for again.
 */
invalidates: Array<Topic>, };

/**
 * What travels over the event stream.
 */
export type StreamItem = { "type": "change" } & Change | { "type": "resync", 
/**
 * The newest sequence number; go on from here.
 */
seq: number, };

/**
 * A request without fields.
 */
export type Nothing = Record<string, never>;

/**
 * One session, by its id or by its readable name where only one has it.
 */
export type SessionRef = { 
/**
 * Id or readable name.
 */
id: string, };

/**
 * One ended session that leaves the list.
 */
export type OffTheList = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * Yes, although programs run in shells beside it, which end.
 */
force?: boolean, };

/**
 * One project, by its id or by its name where only one has it.
 */
export type ProjectRef = { 
/**
 * Id or name.
 */
id: string, };

/**
 * What the engine says of itself.
 */
export type EngineInfo = { 
/**
 * Its version.
 */
version: string, 
/**
 * Its process.
 */
pid: number, 
/**
 * Its data directory.
 */
dataDir: string, 
/**
 * Whether it runs without a window (`downbeat serve`).
 */
headless: boolean, 
/**
 * Newest event; start the event stream from here.
 */
seq: number, 
/**
 * Sessions that work now.
 */
working: number, 
/**
 * Sessions that need the person now: those whose `attention` is there.
 */
needsYou: number, 
/**
 * Sessions whose process is alive.
 */
live: number, 
/**
 * Shells beside sessions in which a program runs.
 */
busyShells: number, 
/**
 * Whether idle sleep is held off now.
 */
awake: boolean, };

/**
 * What happens to sessions when the engine ends.
 */
export type OnShutdown = "keep" | "stop" | "ifUnused";

/**
 * Ends the engine, or makes it hand over to the one that asks.
 */
export type Shutdown = { 
/**
 * What happens to sessions.
 */
sessions: OnShutdown, };

/**
 * What a fresh worktree of a project will run before its agent starts.
 */
export type SetupPlan = { 
/**
 * Each command as a person would read it.
 */
commands: Array<string>, 
/**
 * The lockfile or config that asked for them: `package-lock.json`, `downbeat.yaml`.
 */
because: string | null, 
/**
 * Hash of what is to be approved.
 */
hash: string, 
/**
 * Whether the person approved this very content. True where there is nothing to approve.
 */
approved: boolean, };

/**
 * A project.
 */
export type Project = { 
/**
 * Its identifier.
 */
id: ProjectId, 
/**
 * Its name, unique among projects; the folder's name unless given.
 */
name: string, 
/**
 * The repository's primary checkout, absolute.
 */
path: string, 
/**
 * The branch that sessions start from unless told otherwise.
 */
defaultBranch: string, 
/**
 * Whether agents may start in this project's worktrees without asking.
 */
trusted: boolean, 
/**
 * The permission mode that its sessions get unless told otherwise.
 */
permissionMode: PermissionMode, 
/**
 * Whether a conductor may answer what its workers ask, for this once; the person is then told
 * of a question only where it stays open.
 */
conductorsAnswer: boolean, 
/**
 * What is wrong with the repository right now (missing, unreadable), or with its config.
 */
problem: string | null, 
/**
 * Set-up commands from the repository's `downbeat.yaml`, and whether they were approved.
 */
setup: SetupPlan, 
/**
 * The checks from the repository's `downbeat.yaml`, and whether they were approved.
 */
checks: SetupPlan, 
/**
 * The commands that the reactions of the repository's file run, and whether they were approved.
 */
reactionCommands: SetupPlan, 
/**
 * The repository on a forge that its remote is: `github.com/acme/shop`; absent without one.
 */
forge: string | null, 
/**
 * When it was added.
 */
createdAt: string, };

/**
 * Adds a project.
 */
export type AddProject = { 
/**
 * A folder in or below a repository.
 */
path: string, 
/**
 * The answer to the trust question. Default no.
 */
trust?: boolean, 
/**
 * A name; default the folder's.
 */
name?: string, 
/**
 * Makes what is missing first: of a plain folder a repository (`git init`), and of a repository
 * without commits one with an empty first commit. Adds no file. Default no.
 */
initialize?: boolean, };

/**
 * Asks what a folder is, before it is added.
 */
export type InspectFolder = { 
/**
 * The folder.
 */
path: string, };

/**
 * What a folder is.
 */
export type FolderKind = "repository" | "plainFolder" | "noCommits" | "bare" | "missing" | "notAFolder" | "alreadyAdded" | "unreadable";

/**
 * The answer to [`InspectFolder`].
 */
export type FolderReport = { 
/**
 * What it is.
 */
kind: FolderKind, 
/**
 * The repository's root, or the folder itself.
 */
path: string, 
/**
 * The name it would get.
 */
name: string, 
/**
 * One sentence for the person.
 */
message: string, 
/**
 * The project it already is.
 */
projectId: ProjectId | null, };

/**
 * Takes a project off the list.
 */
export type RemoveProject = { 
/**
 * Id or name.
 */
id: string, 
/**
 * Yes, although programs run in shells beside its sessions, which end.
 */
force?: boolean, };

/**
 * Changes a project.
 */
export type EditProject = { 
/**
 * Id or name.
 */
id: string, 
/**
 * A new name.
 */
name?: string, 
/**
 * The new folder of its repository. Refused where that is another repository.
 */
path?: string, 
/**
 * A new answer to the trust question.
 */
trust?: boolean, 
/**
 * A new default permission mode.
 */
permissionMode?: PermissionMode, 
/**
 * Whether conductors may answer what their workers ask.
 */
conductorsAnswer?: boolean, 
/**
 * Approves the set-up commands with this hash (see [`SetupPlan`]).
 */
approveSetup?: string, 
/**
 * Approves the checks with this hash (see [`Project::checks`]).
 */
approveChecks?: string, 
/**
 * Approves the commands of reactions with this hash (see [`Project::reaction_commands`]).
 */
approveReactions?: string, };

/**
 * A branch that a session can start from.
 */
export type Branch = { 
/**
 * Its name: `main`, `origin/feature/x`.
 */
name: string, 
/**
 * Its commit, abbreviated.
 */
commit: string, 
/**
 * That commit's first line.
 */
summary: string, 
/**
 * Whether it is the project's default.
 */
isDefault: boolean, 
/**
 * Whether it lives on a remote only.
 */
isRemote: boolean, 
/**
 * The worktree that has it checked out, if any.
 */
checkedOutAt: string | null, };

/**
 * Finds files by a few letters of their paths: of a session's workspace, or of a project's repository.
 */
export type FindFiles = { 
/**
 * Id or readable name of a session; either this or `project`.
 */
session?: string, 
/**
 * Id or name of a project.
 */
project?: string, 
/**
 * The letters, which occur in this order in the path; none finds any file.
 */
query?: string, 
/**
 * The maximum number of files, at most 200; 20 by default.
 */
limit?: number, };

/**
 * The answer to [`FindFiles`].
 */
export type FoundFiles = { 
/**
 * Paths relative to the workspace or the repository, with `/`; the best match first. Ignored files are not
 * among them.
 */
files: Array<string>, 
/**
 * Whether there are more than these.
 */
hasMore: boolean, };

/**
 * Keeps a pasted or dropped file, so that an agent can read it by its path.
 */
export type Attach = { 
/**
 * The file's name, such as `screenshot.png`. Its folders are left out, and what is unusual in a file's name is
 * replaced.
 */
name: string, 
/**
 * The content, in base64; at most 1 MiB of it.
 */
data: string, };

/**
 * The answer to [`Attach`].
 */
export type Attached = { 
/**
 * Where the file is, as an absolute path. It is deleted after 30 days.
 */
path: string, };

/**
 * Asks what the sessions did in the last hours.
 */
export type GetTimeline = { 
/**
 * Id or name of a project; all by default.
 */
project?: string, 
/**
 * How many hours back, at most 168 (a week); 24 by default.
 */
hours?: number, };

/**
 * What a session did during a span.
 */
export type TimelineState = "working" | "waiting" | "held" | "idle" | "unknown";

/**
 * A time during which a session's state did not change.
 */
export type TimelineSpan = { 
/**
 * When it began, or the timeline did.
 */
from: string, 
/**
 * When it ended, or the timeline does.
 */
until: string, 
/**
 * What the session did.
 */
state: TimelineState, 
/**
 * Why, in one line; empty if that is not recorded.
 */
reason: string, };

/**
 * How long a session was in each state, in milliseconds.
 */
export type TimelineSums = { 
/**
 * In [`TimelineState::Working`].
 */
working: number, 
/**
 * In [`TimelineState::Waiting`].
 */
waiting: number, 
/**
 * In [`TimelineState::Held`].
 */
held: number, 
/**
 * In [`TimelineState::Idle`] or [`TimelineState::Unknown`].
 */
idle: number, };

/**
 * One session's part of the timeline.
 */
export type TimelineSession = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * Its readable name.
 */
name: string, 
/**
 * Its title.
 */
title: string, 
/**
 * Its agent.
 */
agent: string, 
/**
 * Its project.
 */
projectId: ProjectId, 
/**
 * Whether it is archived by now.
 */
isArchived: boolean, 
/**
 * Its spans, oldest first; while it had ended, there is none.
 */
spans: Array<TimelineSpan>, 
/**
 * The sums of its spans.
 */
sums: TimelineSums, };

/**
 * The answer to [`GetTimeline`].
 */
export type Timeline = { 
/**
 * When it begins.
 */
from: string, 
/**
 * When it ends: now.
 */
until: string, 
/**
 * The sessions that were live in that time, in the order in which they first were.
 */
sessions: Array<TimelineSession>, 
/**
 * The sums over all sessions.
 */
sums: TimelineSums, };

/**
 * Looks for words.
 */
export type Search = { 
/**
 * Words that a text has to hold, all of them; the last one may be a beginning. No other
 * language than that: whatever is typed is words.
 */
query: string, 
/**
 * Only of this project, by id or name.
 */
project?: string, 
/**
 * How many at most, at most 200; default 50.
 */
limit?: number, };

/**
 * Whose words a text is.
 */
export type TextKind = "said" | "answered" | "called" | "screen";

/**
 * Some words, and whether they were looked for.
 */
export type Piece = { 
/**
 * Plain text.
 */
text: string, 
/**
 * Whether it was looked for.
 */
isMatch: boolean, };

/**
 * A text that was found.
 */
export type Hit = { 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Its readable name.
 */
name: string, 
/**
 * Its title.
 */
title: string, 
/**
 * Its project.
 */
projectId: ProjectId, 
/**
 * Whose words they are.
 */
kind: TextKind, 
/**
 * When.
 */
at: string | null, 
/**
 * Some words around what was found.
 */
snippet: Array<Piece>, };

/**
 * Tokens that were used, and what they cost. No token is in two of the numbers.
 */
export type Usage = { 
/**
 * What models read and had not kept.
 */
input: number, 
/**
 * What they read from their cache.
 */
cached: number, 
/**
 * What they put into their cache.
 */
written: number, 
/**
 * What they wrote, their thinking with it.
 */
output: number, 
/**
 * Dollars by list price, of the models whose price is known; absent where none is.
 */
cost: number | null, 
/**
 * Models whose price is not known: what they cost is not in `cost`.
 */
unpriced: Array<string>, 
/**
 * Models that were counted by the price of the newest of their family, since their own is not known.
 */
byFamily: Array<string>, };

/**
 * The amounts that a budget allows; an absent amount has no bound.
 */
export type Budget = { 
/**
 * The amount in dollars, by list price.
 */
usd: number | null, 
/**
 * The number of tokens, of all kinds together.
 */
tokens: number | null, };

/**
 * The standing of a budget.
 */
export type Standing = "within" | "near" | "over";

/**
 * What a budget is for.
 */
export type BudgetScope = "session" | "subtree" | "projectDay";

/**
 * A budget and what was used of it.
 */
export type BudgetState = { 
/**
 * What it is for.
 */
scope: BudgetScope, 
/**
 * The session; absent for a project's.
 */
sessionId: SessionId | null, 
/**
 * That session's title, or the project's name; absent in a session's own.
 */
name: string | null, 
/**
 * What it allows.
 */
budget: Budget, 
/**
 * What was used; with models whose price is not known it is at least that.
 */
used: Usage, 
/**
 * Which share is used; 1 is all of it.
 */
share: number, 
/**
 * How it stands.
 */
standing: Standing, };

/**
 * Asks what was used.
 */
export type GetUsage = { 
/**
 * Only this session and its workers, by id or readable name.
 */
session?: string, 
/**
 * Only this project, by id or name.
 */
project?: string, 
/**
 * The first day, as `2026-11-21`, in the time zone of this machine.
 */
from?: string, 
/**
 * The last day.
 */
to?: string, };

/**
 * What one day used.
 */
export type DayUsage = { 
/**
 * The day: `2026-11-21`.
 */
day: string, 
/**
 * What it used.
 */
usage: Usage, };

/**
 * What one model used.
 */
export type ModelUsage = { 
/**
 * The model's id.
 */
model: string, 
/**
 * What it used.
 */
usage: Usage, };

/**
 * What one session used.
 */
export type SessionUsage = { 
/**
 * Its identifier.
 */
id: SessionId, 
/**
 * Its title.
 */
title: string, 
/**
 * Its project.
 */
projectId: ProjectId, 
/**
 * What it used itself.
 */
usage: Usage, 
/**
 * What it used with all below it, where there are any.
 */
subtree: Usage | null, };

/**
 * What one project used.
 */
export type ProjectUsage = { 
/**
 * Its identifier.
 */
id: ProjectId, 
/**
 * Its name; absent where it is no longer on the list.
 */
name: string | null, 
/**
 * What its sessions used, those no longer on the list with them.
 */
usage: Usage, };

/**
 * What the sessions of one agent used.
 */
export type AgentUsage = { 
/**
 * The agent's id: `claude`.
 */
agent: string, 
/**
 * What its sessions used, archived ones with them; not those removed from the list.
 */
usage: Usage, };

/**
 * What the workers of one plan used.
 */
export type PlanUsage = { 
/**
 * Its identifier.
 */
id: PlanId, 
/**
 * Its title.
 */
title: string, 
/**
 * What its workers used, those that were replaced or removed from the list with them; and what the workers of those on the list used.
 */
usage: Usage, };

/**
 * The answer to [`GetUsage`].
 */
export type UsageReport = { 
/**
 * All of it.
 */
total: Usage, 
/**
 * By day, newest first.
 */
days: Array<DayUsage>, 
/**
 * By model, the one first that wrote most.
 */
models: Array<ModelUsage>, 
/**
 * By session, in the order of the sidebar; those that used nothing are left out.
 */
sessions: Array<SessionUsage>, 
/**
 * By project.
 */
projects: Array<ProjectUsage>, 
/**
 * By agent, the most expensive one first.
 */
agents: Array<AgentUsage>, 
/**
 * By plan, newest first; those that used nothing are left out.
 */
plans: Array<PlanUsage>, 
/**
 * What sessions used that are no longer on the list; it is in all sums.
 */
removed: Usage | null, 
/**
 * The budgets that hold, and what was used of them: of projects today, whatever the days asked
 * for, and of sessions since they began.
 */
budgets: Array<BudgetState>, 
/**
 * What is wrong with the person's own list of prices, if anything.
 */
problem: string | null, };

/**
 * What a branch started from.
 */
export type Base = { 
/**
 * The ref that was named: `main`.
 */
name: string, 
/**
 * Its commit then, in full.
 */
commit: string, 
/**
 * Commits that the base's upstream had ahead of it then, without a fetch.
 */
behind: number, };

/**
 * An approval of the person.
 */
export type Approval = "commands" | "commit";

/**
 * How far a step of a spawn is.
 */
export type StepState = "waiting" | "running" | "done" | "skipped" | "failed";

/**
 * One step of a spawn.
 */
export type Step = { 
/**
 * `checkout`, `copy`, `setup` or `start`.
 */
name: string, 
/**
 * How far it is.
 */
state: StepState, 
/**
 * What it does or why it failed: `npm ci`, `exit code 1`.
 */
detail: string, 
/**
 * When it began.
 */
startedAt: string | null, 
/**
 * How long it took, once it ended.
 */
milliseconds: number | null, 
/**
 * The approval without which it does not begin.
 */
waitsFor?: Approval, };

/**
 * A usage limit that keeps a session waiting.
 */
export type LimitState = { 
/**
 * What the agent said.
 */
text: string, 
/**
 * When it ends, as far as the agent says.
 */
resetsAt: string | null, 
/**
 * Until when messages wait: a little after its end.
 */
overAt: string | null, 
/**
 * Whether the session goes on by itself then.
 */
byItself: boolean, 
/**
 * Whether it goes on now: the message for it is on its way.
 */
goesOn: boolean, };

/**
 * Why a session is held back.
 */
export type PauseState = { 
/**
 * Since when.
 */
at: string, 
/**
 * Why: `paused by you`, `used $5.02 of $5.00 of its budget`.
 */
why: string, 
/**
 * Whether a budget is why.
 */
byBudget: boolean, };

/**
 * An extra shell. Its terminal is attached to, read and typed into by its id or its name, as a
 * session's is; it is no session: nothing counts or lists it as one.
 */
export type Shell = { 
/**
 * Its identifier.
 */
id: SessionId, 
/**
 * Its readable name: that of its session and its number, `auth-module/shell-1`.
 */
name: string, 
/**
 * Its number among the shells of its session, from 1.
 */
number: number, 
/**
 * `spawning`, `idle` at its prompt, `running`, or `unknown` where the system does not tell.
 */
status: Status, 
/**
 * Since when.
 */
statusSince: string, 
/**
 * The program that has its terminal, while one does.
 */
runs: string | null, };

/**
 * Ends an extra shell.
 */
export type CloseShell = { 
/**
 * Id or readable name of its session.
 */
id: string, 
/**
 * Its number, its id or its readable name.
 */
shell: string, 
/**
 * Yes, although a program runs in it.
 */
force?: boolean, };

/**
 * The state of a session's checks in one word.
 */
export type ChecksState = "waiting" | "running" | "green" | "red" | "error";

/**
 * The check of a run that runs now.
 */
export type CheckNow = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its place among the checks, from 1.
 */
number: number, 
/**
 * How many checks the run has.
 */
of: number, 
/**
 * When it began.
 */
since: string, };

/**
 * Whether there is evidence that a task is done.
 */
export type DoneState = "said" | "verified";

/**
 * What is known about a task that its worker reported as done.
 */
export type Done = { 
/**
 * Whether there is evidence.
 */
state: DoneState, 
/**
 * The same in words, with the evidence or with what is missing: `verified: 3 checks on a1b2c3d4`.
 */
text: string, 
/**
 * When the checks ended that verified it; else when the worker said it.
 */
at: string, };

/**
 * How one check ended.
 */
export type CheckOutcome = "passed" | "failed" | "timedOut" | "tooManyProcesses" | "notStarted";

/**
 * The result of one check.
 */
export type CheckResult = { 
/**
 * The name of the check, unique in its list.
 */
name: string, 
/**
 * The command as people read it.
 */
command: string, 
/**
 * Whether the commit counts as failed if this check fails.
 */
required: boolean, 
/**
 * How the check ended.
 */
outcome: CheckOutcome, 
/**
 * The exit code; absent if a signal or the time limit ended the command, or if it was never started.
 */
exitCode: number | null, 
/**
 * How long the check ran, in milliseconds.
 */
millis: number, 
/**
 * The end of the output of a check that did not pass: at most 150 lines and 16 KiB. Text from outside.
 */
excerpt: string, };

/**
 * The result of a run of all checks on one commit.
 */
export type Verification = { 
/**
 * The full id of the commit that was checked.
 */
commit: string, 
/**
 * The full id of that commit's tree.
 */
tree: string, 
/**
 * The hash of the list of checks, as the person approved it.
 */
hash: string, 
/**
 * The number of files in the worktree that were not committed, and so were not checked.
 */
uncommitted: number, 
/**
 * The start of the run.
 */
startedAt: string, 
/**
 * The end of the run.
 */
finishedAt: string, 
/**
 * The results, in the order of the list.
 */
checks: Array<CheckResult>, 
/**
 * Why the checks could not be run, with the way out; absent if they were.
 */
error: string | null, };

/**
 * The checks of a session's work.
 */
export type Checks = { 
/**
 * The state of the checks.
 */
state: ChecksState, 
/**
 * The start of the run that is under way; absent if none is, or if it has not started.
 */
runningSince: string | null, 
/**
 * The check that runs now; absent while a run waits, or prepares its worktree.
 */
now: CheckNow | null, 
/**
 * The last result; absent until the first run has ended.
 */
last: Verification | null, 
/**
 * The number of times that failures were sent to the agent since the last green result.
 */
sent: number, };

/**
 * The stored output of one check of a session's last run.
 */
export type GetCheckOutput = { 
/**
 * Id or readable name of the session.
 */
id: string, 
/**
 * The name of the check.
 */
check: string, };

/**
 * The output of one check.
 */
export type CheckOutput = { 
/**
 * The name of the check.
 */
check: string, 
/**
 * The output as text; the beginning of more than 2 MiB is left out. Text from outside.
 */
text: string, };

/**
 * How commits get into the target branch.
 */
export type MergeStrategy = "merge" | "squash" | "rebase";

/**
 * How a merge ended.
 */
export type MergeOutcome = "landed" | "contained" | "conflict" | "checksFailed" | "refused" | "queued";

/**
 * The result of a merge.
 */
export type MergeResult = { 
/**
 * How it ended.
 */
outcome: MergeOutcome, 
/**
 * The target branch.
 */
target: string, 
/**
 * The full id of the session's commit; empty if it is not known.
 */
head: string, 
/**
 * The full id of the commit that landed.
 */
commit: string | null, 
/**
 * What happened, in one sentence, with the way out.
 */
detail: string, 
/**
 * The conflicting files, at most 100 of them.
 */
files: Array<string>, 
/**
 * The end of the merge.
 */
at: string, };

/**
 * The priority of an entry.
 */
export type Priority = "low" | "normal" | "high" | "urgent";

/**
 * Merges the work of a session: its open pull request at the forge, or else into the project's default branch.
 */
export type MergeSession = { 
/**
 * Id or readable name of the session.
 */
id: string, 
/**
 * How the commits get in; default with a merge commit, at a forge the first of squash, merge and rebase that the
 * repository allows.
 */
strategy?: MergeStrategy, 
/**
 * Merges work that the project's checks did not find good; at a forge, leaves checks and reviews to its rules. Default
 * no.
 */
unchecked?: boolean, 
/**
 * How soon it lands, if others wait too; default normal. Not for a merge at a forge.
 */
priority?: Priority, 
/**
 * Merges into the project's default branch, although there is an open pull request. Default no.
 */
local?: boolean, 
/**
 * The number of the pull request; default the session's only open one.
 */
number?: number, 
/**
 * The full id of the commit that is to be merged; default the newest, of a pull request the one that was last seen. Refused
 * if there is another one.
 */
head?: string, 
/**
 * Whether the branch of the pull request is deleted at the forge afterwards. Default no.
 */
deleteBranch?: boolean, 
/**
 * Lets the forge merge the pull request later, as soon as nothing is missing. Default no.
 */
whenReady?: boolean, 
/**
 * Merges the work of a plan over several projects before the work in other projects that it needs. Default no.
 */
anyOrder?: boolean, };

/**
 * The merges of a session's work.
 */
export type Merges = { 
/**
 * Whether a merge waits or is under way.
 */
underWay: boolean, 
/**
 * The place in the merge queue, from 1; absent if the work does not wait in one.
 */
place: number | null, 
/**
 * Why it waits there, in one sentence that names the place.
 */
waits: string | null, 
/**
 * Whether it waits for work in another project that its plan needs first; `anyOrder` merges at once.
 */
heldByPlan?: boolean, 
/**
 * Since when it waits for that.
 */
waitsSince: string | null, 
/**
 * The start of the merge that is under way; absent if none is, or if it waits for others of its project.
 */
runningSince: string | null, 
/**
 * The last result; absent until the first merge has ended.
 */
last: MergeResult | null, };

/**
 * Lists merge queues.
 */
export type ListMergeQueues = { 
/**
 * Id or name of a project; default all.
 */
project?: string, };

/**
 * Pauses the merge queues of a project, or lets them continue.
 */
export type ChangeMergeQueue = { 
/**
 * Id or name of the project.
 */
id: string, 
/**
 * Whether nothing further begins. What has begun ends.
 */
paused: boolean, };

/**
 * Checks that failed and then passed on the same files.
 */
export type FlakyChecks = { 
/**
 * The names of the checks that failed; empty if they are not known any more.
 */
checks: Array<string>, 
/**
 * When they passed.
 */
at: string, };

/**
 * Changes how soon a session's work lands.
 */
export type PrioritizeMerge = { 
/**
 * Id or readable name of the session.
 */
id: string, 
/**
 * The new priority.
 */
priority: Priority, };

/**
 * What waits to land on a branch.
 */
export type MergeQueue = { 
/**
 * The project.
 */
projectId: ProjectId, 
/**
 * Its name.
 */
project: string, 
/**
 * The branch.
 */
target: string, 
/**
 * The repository at a forge that the branch is in, `github.com/acme/shop`, where pull requests are merged one at a time;
 * absent for the branch in the project's repository.
 */
repository: string | null, 
/**
 * Why nothing further begins; absent if the queue is not paused.
 */
paused: string | null, 
/**
 * Since when it is paused.
 */
pausedSince: string | null, 
/**
 * The number of sessions whose work is checked and lands together at most.
 */
batch: number, 
/**
 * What waits, in the order in which it lands.
 */
entries: Array<MergeQueueEntry>, 
/**
 * The last times that checks failed and then passed on the same files, newest first: these checks depend on something else.
 */
flaky?: Array<FlakyChecks>, };

/**
 * The work of a session that waits to land.
 */
export type MergeQueueEntry = { 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Its readable name.
 */
name: string, 
/**
 * The commit that lands.
 */
head: string, 
/**
 * The place in the queue, from 1.
 */
place: number, 
/**
 * The priority.
 */
priority: Priority, 
/**
 * Whether it lands without checks.
 */
unchecked: boolean, 
/**
 * The time of the request.
 */
enqueuedAt: string, 
/**
 * Since when it waits for this reason.
 */
since: string, 
/**
 * Why it waits, in one sentence.
 */
why: string, };

/**
 * A task of a plan.
 */
export type Task = { 
/**
 * What other tasks call it; unique in its plan.
 */
id: string, 
/**
 * One line.
 */
title: string, 
/**
 * More about it; may be empty.
 */
description?: string, 
/**
 * What kind of work it is: `frontend`.
 */
domain: string, 
/**
 * The ids of the tasks that have to be done before it.
 */
needs?: Array<string>, 
/**
 * The skills that the agent is to use.
 */
skills?: Array<string>, 
/**
 * How it is recognised that the task is done, in words.
 */
checks?: Array<string>, 
/**
 * Whether the project's checks do not run on its commit, because they are to fail: it writes the tests that come first.
 */
unchecked?: boolean, 
/**
 * The agent that is to work on it.
 */
agent?: string | null, 
/**
 * The model of that agent; its own default if there is none.
 */
model?: string, 
/**
 * The permission mode of its worker; never freer than its conductor's. The project's if there is none.
 */
permissionMode?: PermissionMode, 
/**
 * The name of the project that it is worked on in: as it is written, until the plan is kept; then only in a plan over several
 * projects, for each task.
 */
project?: string | null, 
/**
 * That project, unless it is the plan's own.
 */
projectId?: ProjectId, 
/**
 * The issue that it is: its worker works on that.
 */
issue?: SessionIssue, 
/**
 * The branch that the tracker of its issue proposes.
 */
branch?: string, 
/**
 * The phase that it belongs to.
 */
phase?: string | null, 
/**
 * The number of its stage: all tasks of the stages before it have to be done. 0 if the plan has no stages.
 */
stage: number, 
/**
 * How much work it is, as its planner estimates it.
 */
effort?: string | null, 
/**
 * Whether its file says that it is done, or that nobody is to do it.
 */
done: boolean, };

/**
 * How many workers a plan gets.
 */
export type Split = "domain" | "task";

/**
 * How far a share is.
 */
export type ShareState = "waiting" | "running" | "done" | "failed" | "skipped";

/**
 * How far a plan is.
 */
export type PlanState = "proposed" | "running" | "paused" | "complete" | "cancelled";

/**
 * Proposes a plan. Nothing runs until it is run.
 */
export type ProposePlan = { 
/**
 * The tasks: a list separated by commas, lines, quotes or bars; or, with `file`, the content of a file. Left out if `path`
 * names the file.
 */
text: string, 
/**
 * Whether the text is the content of a file: a Markdown checklist, `tasks.md` of spec-kit or OpenSpec, `tasks.json` of
 * Taskmaster, or the JSON of a planner.
 */
file?: boolean, 
/**
 * The path of the file in the project's own checkout. It is read if there is no text, and tasks that are done are
 * ticked in it, if the project is trusted. Or what is meant instead of a file: an issue, whose sub-issues are the tasks (`#42`,
 * `acme/shop#42`, `ENG-42`, the address of its page); `beads`, or `beads:ID` for what is below one issue of beads.
 */
path?: string, 
/**
 * Which of several lists of a Taskmaster file.
 */
tag?: string, 
/**
 * Id or name of the project; default that of the session that asks.
 */
projectId?: string, 
/**
 * The template by which each task is done: `review`; see the settings.
 */
template?: string, 
/**
 * Keywords of domains for this plan alone, by the name of the domain, which may be new: `{"graphics": ["shader"]}`. They count
 * besides those that every project has, and those of its configuration.
 */
domains?: { [key in string]: Array<string> }, 
/**
 * One worker for each domain (default without a template), or for each task (default with one).
 */
split?: Split, 
/**
 * The agent of the workers; default from config.
 */
agent?: string, 
/**
 * The most workers at once, 1 to 50; default 6.
 */
atOnce?: number, 
/**
 * How soon its workers start, if others wait for room too; default normal. Only the person chooses it.
 */
priority?: Priority, 
/**
 * Whether its workers get the tools of a conductor, so that they may have workers of their own, above the deepest level;
 * default no.
 */
conductors?: boolean, 
/**
 * What its workers may use together, before the plan is paused.
 */
budget?: Budget, 
/**
 * How long it may take from its start, in minutes, before it is paused.
 */
minutes?: number, 
/**
 * Whether it is only shown, and not kept.
 */
dryRun?: boolean, };

/**
 * A template, as it is offered.
 */
export type TemplateInfo = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it does, in a few words.
 */
about: string, };

/**
 * Asks for a plan of a goal alone. Nothing runs until the plan is run.
 */
export type PlanGoal = { 
/**
 * What is to be reached.
 */
goal: string, 
/**
 * Id or name of the project.
 */
projectId: string, 
/**
 * One worker for each domain (default), or for each task.
 */
split?: Split, 
/**
 * The agent of the workers, and of the session that makes the plan if there is no planner; default from config.
 */
agent?: string, 
/**
 * The most workers at once, 1 to 50; default 6.
 */
atOnce?: number, 
/**
 * What its workers may use together, before the plan is paused.
 */
budget?: Budget, 
/**
 * How long it may take from its start, in minutes, before it is paused.
 */
minutes?: number, 
/**
 * The template by which each task is done.
 */
template?: string, 
/**
 * How soon its workers start, if others wait for room too.
 */
priority?: Priority, 
/**
 * Whether its workers get the tools of a conductor.
 */
conductors?: boolean, 
/**
 * Whether it is only shown, and not kept; possible with a planner.
 */
dryRun?: boolean, };

/**
 * A session that makes a plan.
 */
export type PlanningSession = { 
/**
 * Its id.
 */
id: SessionId, 
/**
 * Its readable name.
 */
name: string, };

/**
 * What became of a goal: one of the two.
 */
export type PlannedGoal = { 
/**
 * The plan that the person's planner made.
 */
plan?: Plan, 
/**
 * The session that makes the plan, and hands it in later; a notice tells when.
 */
session?: PlanningSession, };

/**
 * Names a plan.
 */
export type PlanRef = { 
/**
 * Its id.
 */
id: string, };

/**
 * Asks for plans.
 */
export type ListPlans = { 
/**
 * Id or name of a project; default all.
 */
project?: string, };

/**
 * A change of a plan.
 */
export type PlanChange = "pause" | "resume" | "retry" | "skip" | "done" | "results" | "edit" | "add" | "prioritize" | "cancel";

/**
 * Changes a plan.
 */
export type ChangePlan = { 
/**
 * Its id.
 */
id: string, 
/**
 * What is to happen.
 */
change: PlanChange, 
/**
 * The name of the worker that is retried, skipped or done.
 */
worker?: string, 
/**
 * With `add`: the tasks, written as for a new plan. They may need existing tasks.
 */
tasks?: string, 
/**
 * The id of the task that is changed; or of one whose worker is retried, skipped or done.
 */
task?: string, 
/**
 * With `done`: the branch with the work; left out if there is none in the repository. Empty leaves out commits of the worker,
 * which is refused otherwise.
 */
branch?: string, 
/**
 * With `results`: the whole path of the folder.
 */
folder?: string, 
/**
 * Of a changed task, or of the plan: its new title.
 */
title?: string, 
/**
 * Of a changed task: its new description; empty for none.
 */
description?: string, 
/**
 * Of a changed task: the agent of its worker; empty for the plan's. Of a retried worker: that of the new one. Without a task or a
 * worker: the agent of the plan; empty for the project's.
 */
agent?: string, 
/**
 * Of a changed task: the id or name of the project that it is worked on in; empty for the plan's own.
 */
project?: string, 
/**
 * Of a changed task: the ids of the tasks that have to be done before it; empty for none.
 */
needs?: Array<string>, 
/**
 * Of a changed task: how it is recognised that it is done, in words; empty for nothing.
 */
checks?: Array<string>, 
/**
 * Of a changed task: the skills that its agent is to use; empty for none.
 */
skills?: Array<string>, 
/**
 * With `prioritize`: the new priority. Only the person changes it.
 */
priority?: Priority, 
/**
 * With `retry`: whether a worker that is at work is stopped and started anew, too.
 */
stop?: boolean, 
/**
 * With `edit`, of the plan: the most workers at once from now on.
 */
atOnce?: number, 
/**
 * With `resume`, or `edit` of the plan: what the workers may use together from now on, with what they used already; an empty
 * budget for no limit.
 */
budget?: Budget, 
/**
 * With `resume`, or `edit` of the plan: how long the plan may take from its start, in minutes; 0 for no limit.
 */
minutes?: number, };

/**
 * What one worker of a plan does.
 */
export type PlanWorker = { 
/**
 * Its name, unique in the plan.
 */
name: string, 
/**
 * The domain of its tasks.
 */
domain: string, 
/**
 * The project that it works in, if the plan is over several.
 */
projectId?: ProjectId, 
/**
 * The ids of its tasks.
 */
tasks: Array<string>, 
/**
 * The names of the workers that have to be done before it.
 */
needs: Array<string>, 
/**
 * How far it is.
 */
state: ShareState, 
/**
 * The session that does it.
 */
sessionId: SessionId | null, 
/**
 * Why it waits, or failed.
 */
why: string | null, 
/**
 * What its session asks, if it waits for an answer.
 */
asks?: string, 
/**
 * Whether its session does nothing more before somebody tells it to, so that it can be retried.
 */
isStuck?: boolean, 
/**
 * Whether its tasks were done without its session, by the person or by a program elsewhere.
 */
byHand?: boolean, 
/**
 * When its newest session was started.
 */
startedAt?: string, 
/**
 * When it was done, or failed.
 */
endedAt?: string, 
/**
 * The seconds for which it worked, those of its earlier sessions included, if it had any.
 */
seconds?: number, 
/**
 * The branch of its session.
 */
branch?: string, 
/**
 * The commit with its work.
 */
commit?: string, 
/**
 * Where that commit landed: a branch with the commit that it is there, or the address of a pull request.
 */
landed?: string, 
/**
 * Why the last merge of its work failed; left out once it landed, and while another one is under way.
 */
mergeFailed?: string, 
/**
 * Whether that commit is to be merged: it is done by a session, and landed nowhere.
 */
canMerge?: boolean, 
/**
 * The tokens that its sessions used, if it had any.
 */
tokens?: number, 
/**
 * The dollars that they used, by list price; left out if no price is known.
 */
usd?: number, };

/**
 * A project of a plan over several.
 */
export type PlanProject = { 
/**
 * Its id.
 */
id: ProjectId, 
/**
 * Its name.
 */
name: string, 
/**
 * The folder of its repository.
 */
path: string, };

/**
 * A plan.
 */
export type Plan = { 
/**
 * Its id.
 */
id: PlanId, 
/**
 * The project; of several, the one in which tasks are that name none.
 */
projectId: ProjectId, 
/**
 * The projects that it is worked on in, that one first, if there are several.
 */
projects?: Array<PlanProject>, 
/**
 * Whether it is shortened, as in lists: its tasks have no description, skills and checks.
 */
isSummary?: boolean, 
/**
 * What it is about.
 */
title: string, 
/**
 * How far it is.
 */
state: PlanState, 
/**
 * How many workers it has: one for each domain, or for each task.
 */
split: Split, 
/**
 * The agent of workers whose tasks name none; left out if it is the project's.
 */
agent?: string, 
/**
 * The most workers at once.
 */
atOnce: number, 
/**
 * How soon its workers start, if others wait for room too; left out if it is the normal one.
 */
priority?: Priority, 
/**
 * Whether its workers may have workers of their own.
 */
conductors?: boolean, 
/**
 * The tasks.
 */
tasks: Array<Task>, 
/**
 * The workers, and what each does.
 */
workers: Array<PlanWorker>, 
/**
 * Whether several workers are worthwhile.
 */
isWorthwhile?: boolean, 
/**
 * Why they are, or are not.
 */
advice: string, 
/**
 * Which worker has much more to do than the others.
 */
warning: string | null, 
/**
 * How far it is in words; at its end, the report.
 */
report: string, 
/**
 * When it was proposed.
 */
createdAt: string, 
/**
 * When it was run.
 */
startedAt?: string, 
/**
 * When it was complete or cancelled.
 */
endedAt?: string, 
/**
 * The session that proposed it, whose workers its workers are.
 */
conductor?: SessionId, 
/**
 * The tokens that its workers used, if it was run.
 */
tokens?: number, 
/**
 * The dollars that its workers used, by list price; left out if no price is known.
 */
usd?: number, 
/**
 * What its workers may use together.
 */
budget?: Budget, 
/**
 * How long it may take from its start, in minutes.
 */
minutes?: number, 
/**
 * Why it was paused by itself.
 */
why?: string, 
/**
 * The file in which its tasks are ticked, in the project's own checkout.
 */
file?: string, 
/**
 * What could not be ticked there, and why.
 */
notes?: Array<string>, 
/**
 * Whether its session was only to make the plan, so that the person runs it.
 */
personRuns?: boolean, 
/**
 * The folder in which result files of its workers count.
 */
results?: string, };

/**
 * Merges the work of a plan's workers that are done, each after what it needs.
 */
export type MergePlan = { 
/**
 * Id of the plan.
 */
id: string, 
/**
 * How the commits of each worker get in; default as for a merge of one session.
 */
strategy?: MergeStrategy, 
/**
 * Whether work that was done by hand counts as merged, so that what needs it is merged too. Default no.
 */
byHandMerged?: boolean, };

/**
 * What was done to merge the work of one worker.
 */
export type WorkerMergeResult = "requested" | "nothing" | "left";

/**
 * What was done to merge the work of one worker.
 */
export type WorkerMerge = { 
/**
 * The name of the worker.
 */
worker: string, 
/**
 * Its session; absent if it had none.
 */
sessionId: SessionId | null, 
/**
 * What was done.
 */
result: WorkerMergeResult, 
/**
 * The same for people: `the merge of backend was requested`, `it is waiting`.
 */
said: string, 
/**
 * What the person can do, if it was left.
 */
hint: string | null, };

/**
 * What was done to merge the work of a plan.
 */
export type PlanMerge = { 
/**
 * What was done for each worker, in the order of the merges.
 */
workers: Array<WorkerMerge>, };

/**
 * Starts a run: the project's checks run on its default branch, and a worker starts for each group of failures.
 */
export type StartFix = { 
/**
 * Id or name of the project. A session's token may leave it out: its own project.
 */
project?: string, 
/**
 * The agent of the workers; default from config.
 */
agent?: string, 
/**
 * The largest number of workers at a time; default 3, at most 20.
 */
workers?: number, 
/**
 * The number of tries for each group; default 3, at most 10.
 */
attempts?: number, 
/**
 * The dollars, by list price, that all workers together may use.
 */
usd?: number, 
/**
 * The tokens that all workers together may use.
 */
tokens?: number, 
/**
 * The longest time, in minutes.
 */
minutes?: number, 
/**
 * Only shows what is red. Default no.
 */
dryRun?: boolean, };

/**
 * Asks for runs.
 */
export type GetFixes = { 
/**
 * The id of one run; default all that are kept.
 */
id?: string, 
/**
 * Id or name of a project; default all.
 */
project?: string, };

/**
 * Names a run.
 */
export type FixRef = { 
/**
 * The id of the run.
 */
id: string, };

/**
 * How a run stands or ended.
 */
export type FixOutcome = "underWay" | "green" | "left" | "shown" | "budget" | "cancelled" | "failed";

/**
 * How far a group is.
 */
export type FixState = "waiting" | "skipped" | "working" | "verifying" | "verified" | "landing" | "landed" | "fixed" | "vanished" | "givenUp";

/**
 * A failure, as a check reported it.
 */
export type FixFailure = { 
/**
 * The check that reports it.
 */
check: string, 
/**
 * The tool that reports it.
 */
tool: string, 
/**
 * The id, the same in every run.
 */
id: string, 
/**
 * The test, or the rule.
 */
title: string, 
/**
 * What is wrong, in a line.
 */
message: string, 
/**
 * The file.
 */
file: string | null, 
/**
 * The line there.
 */
line: number | null, 
/**
 * What the tool printed about it.
 */
text: string, };

/**
 * Failures that one worker fixes.
 */
export type FixGroup = { 
/**
 * The number, from 1.
 */
number: number, 
/**
 * What it is about, in a few words.
 */
title: string, 
/**
 * The checks that report it.
 */
checks: Array<string>, 
/**
 * Their commands.
 */
commands: Array<string>, 
/**
 * The files that it names.
 */
files: Array<string>, 
/**
 * The failures.
 */
failures: Array<FixFailure>, 
/**
 * How far it is.
 */
state: FixState, 
/**
 * Since when.
 */
since: string, 
/**
 * Why it is so, in a sentence; empty if the state says it.
 */
why: string, 
/**
 * The worker.
 */
session: SessionId | null, 
/**
 * The worker's name.
 */
worker: string | null, 
/**
 * The start of its first worker.
 */
begunAt: string | null, 
/**
 * The number of tries that failed.
 */
attempts: number, 
/**
 * The end of the worker's turn that was verified last.
 */
rested: string | null, 
/**
 * The commit that was verified.
 */
head: string | null, 
/**
 * Whether the worker is to be ended.
 */
stops: boolean, 
/**
 * The tokens that its workers used.
 */
tokens: number, 
/**
 * Dollars by list price; absent where no price is known.
 */
usd: number | null, };

/**
 * A run.
 */
export type FixRun = { 
/**
 * The id.
 */
id: SessionId, 
/**
 * The project.
 */
projectId: ProjectId, 
/**
 * Its name.
 */
project: string, 
/**
 * The branch.
 */
target: string, 
/**
 * How it stands or ended.
 */
outcome: FixOutcome, 
/**
 * The same in a sentence.
 */
says: string, 
/**
 * The start.
 */
startedAt: string, 
/**
 * The end; absent while it is under way.
 */
endedAt: string | null, 
/**
 * The commit on which checks ran last.
 */
commit: string | null, 
/**
 * The checks that are red there.
 */
red: Array<string>, 
/**
 * The groups of failures. `why` is a sentence that says how far each is.
 */
groups: Array<FixGroup>, 
/**
 * What could not be read, and what was left out.
 */
notes: Array<string>, 
/**
 * The tokens that its workers used.
 */
tokens: number, 
/**
 * Dollars by list price; absent where no price is known.
 */
usd: number | null, };

/**
 * Whether a pull request is open.
 */
export type PullState = "open" | "closed" | "merged";

/**
 * Whether a pull request can be merged without conflicts.
 */
export type Mergeable = "yes" | "conflicts" | "unknown";

/**
 * The reviews of a pull request, taken together.
 */
export type ReviewDecision = "notRequired" | "required" | "approved" | "changesRequested";

/**
 * What a review says.
 */
export type ReviewState = "approved" | "changesRequested" | "commented" | "dismissed";

/**
 * The latest review of a reviewer.
 */
export type PullReview = { 
/**
 * The forge's id.
 */
id: string, 
/**
 * The reviewer's name.
 */
author: string, 
/**
 * Whether a program wrote it.
 */
isBot: boolean, 
/**
 * What it says.
 */
state: ReviewState, 
/**
 * Its text.
 */
text: string, };

/**
 * A comment in a thread, or in the conversation of a pull request.
 */
export type ReviewComment = { 
/**
 * The forge's id.
 */
id: string, 
/**
 * The author's name.
 */
author: string, 
/**
 * Whether a program wrote it.
 */
isBot: boolean, 
/**
 * Whether it was written by the session's agent or through Downbeat: nobody needs to be told.
 */
isOurs: boolean, 
/**
 * Whether it belongs to a review that was submitted as a whole, so that no other comment of it is to come.
 */
isOfReview: boolean, 
/**
 * Its text.
 */
text: string, 
/**
 * The time of writing, by the forge's clock.
 */
at: string, };

/**
 * A review thread.
 */
export type ReviewThread = { 
/**
 * The forge's id.
 */
id: string, 
/**
 * The file, if it is about one.
 */
file: string | null, 
/**
 * The line, if it is about one.
 */
line: number | null, 
/**
 * Whether somebody resolved it.
 */
isResolved: boolean, 
/**
 * Its comments, oldest first.
 */
comments: Array<ReviewComment>, 
/**
 * Whether there are comments before them that are not read, because there are too many.
 */
hasEarlier: boolean, };

/**
 * The state of a check.
 */
export type PullCheckState = "expected" | "running" | "passed" | "skipped" | "failed" | "stopped";

/**
 * A check.
 */
export type PullCheck = { 
/**
 * The forge's id of this run; the same check has another one when it runs again. Empty while it is absent.
 */
id: string, 
/**
 * The name.
 */
name: string, 
/**
 * Whether the base requires it.
 */
isRequired: boolean, 
/**
 * The state.
 */
state: PullCheckState, 
/**
 * The time of its end.
 */
endedAt: string | null, };

/**
 * The checks taken together.
 */
export type ChecksVerdict = "green" | "pending" | "red" | "none";

/**
 * The merge of a session's work, as lists show it.
 */
export type MergeState = "underWay" | "landed" | "conflict" | "checksFailed" | "refused";

/**
 * How far a session is on its way to the base.
 */
export type Stage = "spawning" | "working" | "pr_open" | "ci_failed" | "review_pending" | "changes_requested" | "mergeable" | "merged" | "done" | "killed" | "errored";

/**
 * Why a session is at its stage.
 */
export type StageReason = { "kind": "status" } | { "kind": "verified" } | { "kind": "merged" } | { "kind": "closed" } | { "kind": "gone" } | { "kind": "denied", 
/**
 * Why, with the way out.
 */
why: string, } | { "kind": "checksFailed", 
/**
 * The names.
 */
names: Array<string>, } | { "kind": "checksPending", 
/**
 * The names.
 */
names: Array<string>, } | { "kind": "changesRequested", 
/**
 * The names.
 */
by: Array<string>, } | { "kind": "conflicts" } | { "kind": "draft" } | { "kind": "reviewRequired" } | { "kind": "mergeabilityUnknown" } | { "kind": "behind" } | { "kind": "ready" };

/**
 * The stage of a session, with what it follows from.
 */
export type Lifecycle = { 
/**
 * The stage.
 */
stage: Stage, 
/**
 * Why.
 */
reason: StageReason, 
/**
 * The pull request that decides, if one does.
 */
pull: string | null, };

/**
 * Which changes are meant.
 */
export type ChangeScope = "all" | "committed" | "uncommitted" | "turn" | "commit";

/**
 * Asks which files a session changed.
 */
export type ListChanges = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * Which changes; default all.
 */
scope?: ChangeScope, 
/**
 * The commit, by at least four of its first digits.
 */
commit?: string, 
/**
 * The number of a turn whose end is the beginning.
 */
turn?: number, 
/**
 * Whether lines that differ only in white space are equal; default no.
 */
ignoreSpace?: boolean, };

/**
 * What became of a file.
 */
export type ChangeMark = "added" | "modified" | "deleted" | "renamed" | "copied" | "typeChanged" | "conflict" | "untracked";

/**
 * A file that a session changed.
 */
export type FileChange = { 
/**
 * Where, relative to the workspace. Not shown as it is: it may contain control characters.
 */
path: string, 
/**
 * Where it was, if it was renamed or copied.
 */
oldPath: string | null, 
/**
 * What became of it.
 */
mark: ChangeMark, 
/**
 * Lines that were added; absent where they cannot be counted, as in a picture.
 */
added: number | null, 
/**
 * Lines that were removed.
 */
removed: number | null, 
/**
 * Its mode before and after, as git writes them, if that changed: `100644 → 100755`.
 */
mode: string | null, 
/**
 * Whether it is a submodule, or a repository inside the workspace.
 */
isSubmodule: boolean, 
/**
 * Equal for the same change of the same content, so that what was viewed is known again; absent if it is too large.
 */
contentId: string | null, };

/**
 * A commit of a session.
 */
export type ChangeCommit = { 
/**
 * Its full id.
 */
id: string, 
/**
 * The first line of its message.
 */
subject: string, 
/**
 * Who wrote it.
 */
author: string, 
/**
 * When it was made.
 */
at: string, };

/**
 * What a session changed.
 */
export type ChangeList = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * What it is compared with, in words: `main`, `turn 3`, `HEAD`.
 */
since: string, 
/**
 * The full id of the commit that it is compared with; absent for the first commit of a repository.
 */
from: string | null, 
/**
 * The full id of the commit that is compared; absent for the files of the workspace as they are.
 */
to: string | null, 
/**
 * The full id of the session's newest commit.
 */
head: string, 
/**
 * Where the files were read, if not in the workspace, because that is gone.
 */
note: string | null, 
/**
 * The files by path, at most 3,000.
 */
files: Array<FileChange>, 
/**
 * Whether there are more.
 */
hasMore: boolean, 
/**
 * Its commits since the base, newest first, at most 200.
 */
commits: Array<ChangeCommit>, 
/**
 * The ends of its latest turns, oldest first.
 */
turns: Array<TurnEnd>, };

/**
 * Asks what a session changed in one file.
 */
export type GetChange = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * The file, as in the list.
 */
path: string, 
/**
 * Where it was, as in the list.
 */
oldPath?: string, 
/**
 * Which changes; default all.
 */
scope?: ChangeScope, 
/**
 * The commit, by at least four of its first digits.
 */
commit?: string, 
/**
 * The number of a turn whose end is the beginning.
 */
turn?: number, 
/**
 * Whether lines that differ only in white space are equal; default no.
 */
ignoreSpace?: boolean, 
/**
 * How many lines to show around a change, at most 200; default 3.
 */
context?: number, 
/**
 * The first line of the answer among all lines of the hunks, from 0.
 */
from?: number, 
/**
 * How many lines to answer, at most 5,000; default 2,000.
 */
lines?: number, };

/**
 * Why the lines of a file are not shown.
 */
export type NotShown = "binary" | "tooLarge" | "submodule" | "unchanged";

/**
 * Changed lines with their surroundings, or a part of them.
 */
export type ChangeHunk = { 
/**
 * The number of its first line in the file before.
 */
oldStart: number, 
/**
 * The number of its first line in the file after.
 */
newStart: number, 
/**
 * The place, such as the function; empty if the hunk began on an earlier page.
 */
heading: string, 
/**
 * Whether it began on an earlier page.
 */
continues: boolean, 
/**
 * Its lines. Each begins with a space, `+` or `-`; `\` means that the line before has no line end.
 */
rows: Array<string>, };

/**
 * A picture before and after.
 */
export type ChangedPicture = { 
/**
 * Its media type: `image/png`.
 */
mediaType: string, 
/**
 * Before, in Base64; absent if there was none, or if it has more than 8 MB.
 */
before: string | null, 
/**
 * After, in Base64.
 */
after: string | null, };

/**
 * What a session changed in one file.
 */
export type FileDiff = { 
/**
 * The file as in the list; absent if it did not change.
 */
file: FileChange | null, 
/**
 * The hunks on this page.
 */
hunks: Array<ChangeHunk>, 
/**
 * How many lines all hunks have.
 */
total: number, 
/**
 * The first line of the next page; absent on the last.
 */
next: number | null, 
/**
 * Why there are no lines, if they cannot be shown.
 */
notShown: NotShown | null, 
/**
 * Whether some text is not UTF-8; such bytes are replaced.
 */
isLossy: boolean, 
/**
 * Whether a line was longer than 4,000 bytes, and is cut.
 */
isCut: boolean, 
/**
 * The picture, if it is one.
 */
picture: ChangedPicture | null, };

/**
 * A hunk of a file, as it was shown.
 */
export type HunkPlace = { 
/**
 * The number of its first line in the file before.
 */
oldStart: number, 
/**
 * The number of its first line in the file after.
 */
newStart: number, 
/**
 * The lines around a change with which it was shown; default 3.
 */
context?: number, };

/**
 * Discards what a session changed in one file of its workspace, or one hunk of that.
 */
export type DiscardChange = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * The file, as in the list.
 */
path: string, 
/**
 * Where it was, as in the list.
 */
oldPath?: string, 
/**
 * With what it is compared: `all` (default), `uncommitted` or `turn`.
 */
scope?: ChangeScope, 
/**
 * The number of a turn whose end is the beginning.
 */
turn?: number, 
/**
 * The content id of the change in the list: nothing is discarded if the file was changed since.
 */
contentId: string, 
/**
 * Only this hunk; default the whole file.
 */
hunk?: HunkPlace, };

/**
 * A discarded change.
 */
export type Discarded = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * The file.
 */
path: string, 
/**
 * The number by which it can be undone.
 */
number: number, };

/**
 * Undoes a discarded change.
 */
export type UndoDiscard = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * The number of the discarded change.
 */
number: number, };

/**
 * What was undone.
 */
export type Undone = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * The files that are as they were before.
 */
paths: Array<string>, };

/**
 * Opens a session's workspace, or a file in it, in the person's editor.
 */
export type OpenInEditor = { 
/**
 * Id or readable name of the session.
 */
id: string, 
/**
 * The file, relative to the workspace; without it, the workspace is opened.
 */
path?: string, 
/**
 * The line, from 1; the first by default.
 */
line?: number, };

/**
 * What was opened in which editor.
 */
export type OpenedInEditor = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * The name of the editor.
 */
editor: string, 
/**
 * The file, or the workspace, as an absolute path.
 */
path: string, };

/**
 * What a reviewer says of a session's work.
 */
export type ReviewVerdict = "approved" | "changesRequested";

/**
 * A comment on a changed line.
 */
export type LineComment = { 
/**
 * The file, relative to the workspace.
 */
path: string, 
/**
 * The number of the line in the file after the change; before it, if the line was removed.
 */
line: number, 
/**
 * Whether the line was removed; default no.
 */
removed?: boolean, 
/**
 * The line itself; default none.
 */
quote?: string, 
/**
 * The comment.
 */
text: string, };

/**
 * A review as faces show it.
 */
export type SessionReview = { 
/**
 * Which review of the session it is, from 1.
 */
number: number, 
/**
 * What the reviewer says.
 */
verdict: ReviewVerdict, 
/**
 * The reviewer: the person, or a conductor.
 */
by: Sender, 
/**
 * The time of the review.
 */
at: string, 
/**
 * The full id of the commit that was looked at.
 */
commit: string, 
/**
 * The number of files that were not committed then, and so were not approved.
 */
uncommitted: number, 
/**
 * The number of comments on lines.
 */
comments: number, 
/**
 * Whether the session's work is at another commit by now. An approval then counts for nothing.
 */
isOutdated: boolean, 
/**
 * The number of commits since, if they could be counted.
 */
newer: number | null, 
/**
 * How the review stands, in words: `approved by you at a1b2c3d4`.
 */
text: string, };

/**
 * Ends a review of a session's work. Only the person approves; a conductor may request changes of its workers.
 */
export type ReviewSession = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * What you say of the work.
 */
verdict: ReviewVerdict, 
/**
 * The full id of the commit that you looked at, `head` of the list of changes. Nothing happens if the session has committed since.
 */
commit: string, 
/**
 * What you say of the work as a whole. A request for changes needs this, or comments.
 */
message?: string, 
/**
 * Comments on lines, at most 200.
 */
comments?: Array<LineComment>, };

/**
 * How much a worktree changed against its base, committed or not.
 */
export type ChangeCount = { 
/**
 * How many files differ.
 */
files: number, 
/**
 * Lines that were added, in all files whose lines can be counted.
 */
added: number, 
/**
 * Lines that were removed.
 */
removed: number, 
/**
 * Whether there are more changes than could be counted in time; the numbers are then the least that there are.
 */
isMany: boolean, };

/**
 * A file that two sessions changed.
 */
export type CollidingFile = { 
/**
 * Where, relative to the workspace. Not shown as it is: it may contain control characters.
 */
path: string, 
/**
 * Whether both changed the same place: the same lines, or lines with at most three between them.
 */
samePlace: boolean, 
/**
 * Whether a merge of both conflicts here.
 */
conflicts: boolean, };

/**
 * What a session and another one both changed.
 */
export type Collision = { 
/**
 * The other session.
 */
session: SessionId, 
/**
 * The files, conflicts first, then those with changes at the same place; at most ten.
 */
files: Array<CollidingFile>, 
/**
 * The number of files in all.
 */
fileCount: number, 
/**
 * Whether both changed the same place in a file.
 */
samePlace: boolean, 
/**
 * Whether a merge of both conflicts.
 */
conflicts: boolean, 
/**
 * When it was seen.
 */
at: string, };

/**
 * The end of a turn.
 */
export type TurnEnd = { 
/**
 * Which end of a turn it is, from 1.
 */
number: number, 
/**
 * When the turn ended.
 */
at: string, 
/**
 * The commit that the worktree was at.
 */
commit: string, };

/**
 * A pull request of a session's work.
 */
export type SessionPull = { 
/**
 * The pull request by its forge's id, as one word: `pull:github.com/PR_kwDOA`.
 */
id: string, 
/**
 * The number in its repository.
 */
number: number, 
/**
 * The address of its page. Text from outside.
 */
url: string, 
/**
 * The title. Text from outside.
 */
title: string, 
/**
 * Whether it is open.
 */
state: PullState, 
/**
 * Whether it is a draft.
 */
isDraft: boolean, 
/**
 * The commit that would be merged, in full.
 */
head: string, 
/**
 * The branch that it is to be merged into.
 */
baseBranch: string, 
/**
 * The verdict of the checks that count.
 */
verdict: ChecksVerdict, 
/**
 * The number of checks that passed.
 */
passed: number, 
/**
 * The number of checks that failed.
 */
failed: number, 
/**
 * The number of checks that have not ended, including those that are expected and absent.
 */
pending: number, 
/**
 * The reviews, taken together.
 */
decision: ReviewDecision, 
/**
 * The number of review threads that nobody resolved.
 */
unresolved: number, 
/**
 * Whether it can be merged without conflicts, as far as the forge has ever said.
 */
mergeable: Mergeable, 
/**
 * Whether it is in the merge queue of the forge.
 */
isQueued?: boolean, 
/**
 * Its place there, from 1; left out if the forge does not say.
 */
queuePlace?: number, 
/**
 * How far it is.
 */
stage: Stage, 
/**
 * Why.
 */
reason: StageReason, 
/**
 * The place of that reason among all reasons: the lowest is to be seen to first.
 */
place: number, };

/**
 * An issue that another one is connected with.
 */
export type LinkedIssue = { 
/**
 * What people call it: `acme/shop#42`, `ENG-42`.
 */
key: string, 
/**
 * Its title. Text from outside.
 */
title: string, 
/**
 * Its page.
 */
url: string, 
/**
 * Whether it was closed.
 */
isClosed: boolean, };

/**
 * The issue that a session works on, as it was when the session was requested. Texts are from outside.
 */
export type SessionIssue = { 
/**
 * The host of its forge or tracker: `github.com`, `linear.app`.
 */
host: string, 
/**
 * Its repository, or its team at a tracker: `acme/shop`, `ENG`.
 */
repository: string, 
/**
 * Its number there.
 */
number: number, 
/**
 * Its title.
 */
title: string, 
/**
 * Its page.
 */
url: string, 
/**
 * What people call it at a tracker: `ENG-123`; absent at a forge.
 */
key?: string, 
/**
 * The issues that it consisted of when the session was created, at most 100. Lists leave them out.
 */
children?: Array<LinkedIssue>, 
/**
 * The issues that blocked it when the session was created, at most 100. Lists leave them out.
 */
blockedBy?: Array<LinkedIssue>, };

/**
 * A pull request of a session, with what its card leaves out. All texts are from outside.
 */
export type PullDetail = { 
/**
 * The card.
 */
card: SessionPull, 
/**
 * The name of its branch.
 */
headBranch: string, 
/**
 * The repository of its branch, `owner/name`; absent if that was deleted.
 */
headRepository: string | null, 
/**
 * The checks, including those that are expected and absent.
 */
checks: Array<PullCheck>, 
/**
 * The latest review of each reviewer.
 */
reviews: Array<PullReview>, 
/**
 * The review threads.
 */
threads: Array<ReviewThread>, 
/**
 * At most how many older threads and comments are left out, because there are too many.
 */
beyond: number, 
/**
 * What others say in its conversation, outside of threads; the newest 100.
 */
comments: Array<ReviewComment>, 
/**
 * The labels.
 */
labels: Array<string>, 
/**
 * What is done by itself about what stands: one line for each rule that has anything to do.
 */
reactions: Array<ReactionState>, 
/**
 * The time of its last change, by the forge's clock.
 */
updatedAt: string, 
/**
 * The time at which it was last seen to be different from before.
 */
seenAt: string, };

/**
 * A forge that projects have remotes on.
 */
export type ForgeState = { 
/**
 * The host: `github.com`.
 */
host: string, 
/**
 * The repositories that are looked at, `owner/name`.
 */
repositories: Array<string>, 
/**
 * The number of pull requests that are followed.
 */
pulls: number, 
/**
 * What is the matter with open pull requests there, each in one sentence with the way out: not found, not visible to the
 * token, in a repository that no remote names.
 */
troubles: Array<string>, 
/**
 * Why it cannot be asked, with the way out; absent if its last answer was fine.
 */
error: string | null, 
/**
 * Since when it cannot be asked.
 */
errorSince: string | null, 
/**
 * When it last answered; absent before its first answer to this engine.
 */
answeredAt: string | null, 
/**
 * The points that are left of its hourly limit, as far as it says.
 */
pointsLeft: number | null, 
/**
 * The points of its hourly limit.
 */
pointsOf: number | null, 
/**
 * What the forge sends here by itself.
 */
webhook: ForgeWebhook, };

/**
 * What a forge sends here by itself when something happens.
 */
export type ForgeWebhook = { 
/**
 * Whether `webhookSecret` is configured, so that webhooks are taken.
 */
isOn: boolean, 
/**
 * Why none can be taken although it is, with the way out.
 */
problem: string | null, 
/**
 * The address on this machine to which they go.
 */
address: string, 
/**
 * The events to choose at the forge, in its own words.
 */
events: Array<string>, 
/**
 * Whether `gh webhook forward` brings them here: GitHub has it.
 */
forwards: boolean, 
/**
 * The event of the last one that was taken.
 */
lastEvent: string | null, 
/**
 * When that was.
 */
lastAt: string | null, 
/**
 * Why the last one that was refused was not genuine, since the start of this engine.
 */
refused: string | null, 
/**
 * When that was.
 */
refusedAt: string | null, };

/**
 * Pushes the branch of a session and opens a pull request for it, unless there is one.
 */
export type CreatePull = { 
/**
 * Id or readable name of the session.
 */
id: string, 
/**
 * Its title; default the subject of the only commit, or the title of the session.
 */
title?: string, 
/**
 * Its text in Markdown; default what the commits say.
 */
body?: string, 
/**
 * The branch that it goes to; default the project's default branch.
 */
base?: string, 
/**
 * Whether it begins as a draft. Default no.
 */
draft?: boolean, };

/**
 * A pull request that was opened, or was open already.
 */
export type PullOpened = { 
/**
 * Its forge's id, as one word: `pull:github.com/PR_kwDOA`.
 */
id: string, 
/**
 * Its number.
 */
number: number, 
/**
 * Its page.
 */
url: string, 
/**
 * Whether it was open before.
 */
wasOpen: boolean, 
/**
 * The number of files in the worktree that are not committed, and so are not in it.
 */
uncommitted: number, };

/**
 * Changes a pull request of a session.
 */
export type ChangePull = { 
/**
 * Id or readable name of the session.
 */
id: string, 
/**
 * The number of the pull request; default the session's only open one.
 */
number?: number, 
/**
 * What to change.
 */
change: PullChange, };

/**
 * A change to a pull request. Merging is an operation of its own.
 */
export type PullChange = { "kind": "edit", 
/**
 * The new title.
 */
title?: string, 
/**
 * The new text in Markdown.
 */
body?: string, 
/**
 * The new base branch.
 */
base?: string, } | { "kind": "comment", 
/**
 * The text in Markdown.
 */
body: string, } | { "kind": "reply", 
/**
 * The thread, as `PullDetail` names it.
 */
thread: string, 
/**
 * The text in Markdown.
 */
body: string, } | { "kind": "resolve", 
/**
 * The thread, as `PullDetail` names it.
 */
thread: string, 
/**
 * Whether it is resolved afterwards.
 */
resolved: boolean, } | { "kind": "label", 
/**
 * The labels to add.
 */
add: Array<string>, 
/**
 * The labels to remove.
 */
remove: Array<string>, } | { "kind": "requestReview", 
/**
 * Accounts.
 */
people: Array<string>, 
/**
 * Teams by their short names.
 */
teams: Array<string>, } | { "kind": "draft", 
/**
 * Whether it is a draft afterwards.
 */
draft: boolean, } | { "kind": "close" };

/**
 * A change that was made.
 */
export type PullChanged = { 
/**
 * The number of the pull request.
 */
number: number, 
/**
 * The page of the new comment, or of the pull request.
 */
url: string, };

/**
 * What a rule does about a session or a pull request.
 */
export type ReactionState = { 
/**
 * The rule: `ci-failed`.
 */
rule: string, 
/**
 * Whether what it reacts to stands now.
 */
stands: boolean, 
/**
 * What it did and does, in a sentence.
 */
says: string, 
/**
 * When the person is notified that the problem is not solved, if nothing changes; or was.
 */
notifiedAt: string | null, 
/**
 * The number of things that it did not deal with yet, and that it would deal with if it were run now.
 */
fresh: number, 
/**
 * Whether a person switched it off for the session.
 */
isOff: boolean, };

/**
 * What the rules do about a session, or about one of its pull requests.
 */
export type Reactions = { 
/**
 * The session or the pull request, as one word.
 */
subject: string, 
/**
 * What it is called: the name of the session, or `#12 Add a cart`.
 */
title: string, 
/**
 * What each rule does that deals with it.
 */
reactions: Array<ReactionState>, };

/**
 * A rule of a project.
 */
export type ReactionRule = { 
/**
 * The rule: `ci-failed`.
 */
rule: string, 
/**
 * What it does: `send-to-agent`, `notify`, `merge`, `restart`…
 */
action: string, 
/**
 * Whether it acts by itself.
 */
auto: boolean, 
/**
 * The number of attempts for a problem; absent without a bound.
 */
attempts: number | null, 
/**
 * The time after which the person is notified, in seconds.
 */
escalatesAfter: number | null, 
/**
 * How long the event has to stand before it acts, in seconds.
 */
threshold: number, 
/**
 * The text in front of what is sent.
 */
message: string | null, 
/**
 * The command that it runs, as people read it; absent if it runs none.
 */
command: string | null, 
/**
 * Whether its command waits for the person's approval.
 */
needsApproval: boolean, 
/**
 * What has to hold besides.
 */
condition: string | null, 
/**
 * Whether the project changes it.
 */
isChanged: boolean, 
/**
 * The file by which the project changes it: `downbeat.yaml`, or `agent-orchestrator.yaml`.
 */
file: string | null, };

/**
 * How a reaction ended.
 */
export type ReactionOutcome = "done" | "over" | "failed";

/**
 * Something that was done by itself, or could not be done.
 */
export type ReactionDone = { 
/**
 * When.
 */
at: string, 
/**
 * The rule.
 */
rule: string, 
/**
 * The session or the pull request, as one word.
 */
subject: string, 
/**
 * The number of the attempt.
 */
attempt: number, 
/**
 * How it ended.
 */
outcome: ReactionOutcome, 
/**
 * The first line of the text, or why it failed.
 */
detail: string, 
/**
 * The exit code of the command that was run; absent if it did not exit by itself, or if none was.
 */
exitCode: number | null, 
/**
 * The end of the output of the command that was run: at most 20 lines and 4 KiB. Text from outside.
 */
output: string | null, };

/**
 * What a person wants of a rule, for one session.
 */
export type ReactionControl = "run" | "skip" | "off" | "on";

/**
 * Something that a rule can react to. The words are those of Agent Orchestrator's configuration.
 */
export type ReactionEvent = "ci-failed" | "changes-requested" | "bugbot-comments" | "merge-conflicts" | "approved-and-green" | "label-added" | "pr-opened" | "pr-closed" | "pr-merged" | "agent-stuck" | "agent-needs-input" | "agent-exited" | "agent-idle" | "usage-limit" | "budget-reached" | "checks-failed" | "checks-passed" | "all-complete";

/**
 * Asks what the rules of a project would do about an event.
 */
export type SimulateReactions = { 
/**
 * Id or name of the project.
 */
id: string, 
/**
 * The event; by default each event that has a rule.
 */
event: ReactionEvent | null, 
/**
 * The session that it happens to, for the values of messages and conditions; by default an example.
 */
session: string | null, 
/**
 * The label or the budget that the event is about.
 */
detail: string | null, };

/**
 * What a rule would do about an event.
 */
export type SimulatedReaction = { 
/**
 * The rule.
 */
rule: string, 
/**
 * What it does, in order.
 */
steps: Array<SimulatedStep>, 
/**
 * Why it does nothing.
 */
nothing: string | null, };

/**
 * A step of what a rule would do.
 */
export type SimulatedStep = { 
/**
 * When, in words: `after 30 s`.
 */
when: string, 
/**
 * What, in words: `its agent gets a message`.
 */
what: string, 
/**
 * The text that is sent, or that notifies.
 */
text: string | null, };

/**
 * Runs, skips or switches a rule for a session.
 */
export type ControlReaction = { 
/**
 * Id or readable name of the session.
 */
id: string, 
/**
 * The rule: `ci-failed`.
 */
rule: string, 
/**
 * What is wanted.
 */
what: ReactionControl, 
/**
 * The session or the pull request, as `explain_reactions` names it. By default all of them.
 */
subject: string | null, };

/**
 * Pauses or resumes what is done by itself about a session and its pull requests.
 */
export type PauseReactions = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * True pauses; false resumes: what is new since then is done.
 */
paused: boolean, };

/**
 * What lists show of a session. Its size does not depend on the session's task or history; [`Session`] has the rest.
 */
export type SessionSummary = { 
/**
 * Its identifier.
 */
id: SessionId, 
/**
 * Its readable name, a slug unique in its project.
 */
name: string, 
/**
 * What people see; free text.
 */
title: string, 
/**
 * Its project.
 */
projectId: ProjectId, 
/**
 * Conductor, worker or neither.
 */
role: Role, 
/**
 * Whether it has the tools to spawn and steer workers.
 */
conducts: boolean, 
/**
 * The session that spawned it.
 */
parent: SessionId | null, 
/**
 * Levels above it.
 */
depth: number, 
/**
 * Sessions directly below it.
 */
workers: number, 
/**
 * The agent's id: `claude`, `shell`, or a name from config.
 */
agent: string, 
/**
 * The model that was asked for.
 */
model: string | null, 
/**
 * How freely the agent may act.
 */
permissionMode: PermissionMode, 
/**
 * The one word.
 */
status: Status, 
/**
 * The finer observation; meaningful while live.
 */
activity: Activity, 
/**
 * Why.
 */
statusEvidence: Evidence, 
/**
 * Since when.
 */
statusSince: string, 
/**
 * What its agent says that it is at, in one line, while it works or waits.
 */
currentTask: string | null, 
/**
 * Why it seems stuck, where it works and nothing new was seen for long.
 */
stuck: Evidence | null, 
/**
 * How far its agent is with the tools that Downbeat gave it; absent where it gave none.
 */
tools: ToolsState | null, 
/**
 * What keeps it waiting.
 */
question: Question | null, 
/**
 * The usage limit that keeps it waiting.
 */
limit: LimitState | null, 
/**
 * Why it is not at work: what it waits for, in one line, and until when where that is known.
 */
reason: Reason | null, 
/**
 * Why it needs the person, where it does. Every face shows and counts this, and none decides it again.
 */
attention: Attention | null, 
/**
 * Until when the person snoozed what it needs them for; absent if nothing is snoozed.
 */
snoozedUntil: string | null, 
/**
 * Its column of the board, by who must act next. Every face shows this, and none decides it again.
 */
column: Column, 
/**
 * Why it is held back, where it is.
 */
paused: PauseState | null, 
/**
 * What went wrong, where something did, with the way out.
 */
error: string | null, 
/**
 * Whether it runs its task once and ends.
 */
once: boolean, 
/**
 * Where it runs.
 */
workspace: Workspace, 
/**
 * The directory; absent until it is made and after it is removed.
 */
workspacePath: string | null, 
/**
 * Its branch.
 */
branch: string | null, 
/**
 * The dev-server port reserved for it.
 */
port: number | null, 
/**
 * When it was asked for.
 */
createdAt: string, 
/**
 * When it last did anything.
 */
lastActivityAt: string, 
/**
 * How its process ended; absent while it runs and where a signal ended it.
 */
exitCode: number | null, 
/**
 * Whether Resume can bring it back, its worktree too where that was removed.
 */
canResume: boolean, 
/**
 * Whether saved work waits to be restored.
 */
hasBackup: boolean, 
/**
 * Messages that wait for its agent.
 */
queued: number, 
/**
 * Since when it is put away; absent while it is on the list.
 */
archivedAt: string | null, 
/**
 * What its agent used until its last turn ended.
 */
usage: Usage, 
/**
 * The shells that are open beside its agent, by number.
 */
shells: Array<Shell>, 
/**
 * The first 160 characters of its task; absent if it has none.
 */
taskStart: string | null, 
/**
 * Equal for sessions with the same task; absent if it has none.
 */
taskKey: string | null, 
/**
 * Why its set-up was skipped, if there was something to set up.
 */
setupSkipped: string | null, 
/**
 * The state of the project's checks on its work; absent until a run is requested.
 */
checksState: ChecksState | null, 
/**
 * How much its worktree changed against its base, as counted when its last turn ended; absent until then.
 */
changes: ChangeCount | null, 
/**
 * The other sessions whose worktrees change the same files, as seen when one of them was last counted.
 */
collisions: Array<Collision>, 
/**
 * What is known about its task, if it reported it as done: whether that is only said, or verified by the project's
 * checks of its newest commit.
 */
done: Done | null, 
/**
 * The last review of its work here, and whether it is still about the newest commit; absent before the first.
 */
review: SessionReview | null, 
/**
 * The issue that it works on.
 */
issue: SessionIssue | null, 
/**
 * Its pull requests as they were last seen, the oldest first.
 */
pulls: Array<SessionPull>, 
/**
 * The merge of its work that is under way, or how the last one ended; absent once it has worked again.
 */
mergeState: MergeState | null, 
/**
 * How far it is on its way to the base; absent for a client of an earlier engine.
 */
lifecycle: Lifecycle | null, };

/**
 * A session.
 */
export type Session = { 
/**
 * What it was asked to do; empty for none.
 */
task: string, 
/**
 * What the branch started from.
 */
base: Base | null, 
/**
 * The steps of its spawn, in order.
 */
steps: Array<Step>, 
/**
 * What it said came of its task, where it is a worker that did.
 */
report: WorkerReport | null, 
/**
 * The project's checks on its work; absent until a run is requested.
 */
checks: Checks | null, 
/**
 * The merges of its work into the default branch; absent until one is requested.
 */
merges: Merges | null, 
/**
 * Whether nothing is done by itself about its pull requests.
 */
reactionsPaused: boolean, 
/**
 * The session whose conversation it began with.
 */
forkedFrom: ForkedFrom | null, 
/**
 * The agents that had it before, the first one first.
 */
earlierAgents: Array<EarlierAgent>, 
/**
 * What it used with all below it, where there are any.
 */
subtreeUsage: Usage | null, 
/**
 * What it may use, itself and with all below it, where there are budgets.
 */
budgets: Array<BudgetState>, 
/**
 * Its identifier.
 */
id: SessionId, 
/**
 * Its readable name, a slug unique in its project.
 */
name: string, 
/**
 * What people see; free text.
 */
title: string, 
/**
 * Its project.
 */
projectId: ProjectId, 
/**
 * Conductor, worker or neither.
 */
role: Role, 
/**
 * Whether it has the tools to spawn and steer workers.
 */
conducts: boolean, 
/**
 * The session that spawned it.
 */
parent: SessionId | null, 
/**
 * Levels above it.
 */
depth: number, 
/**
 * Sessions directly below it.
 */
workers: number, 
/**
 * The agent's id: `claude`, `shell`, or a name from config.
 */
agent: string, 
/**
 * The model that was asked for.
 */
model: string | null, 
/**
 * How freely the agent may act.
 */
permissionMode: PermissionMode, 
/**
 * The one word.
 */
status: Status, 
/**
 * The finer observation; meaningful while live.
 */
activity: Activity, 
/**
 * Why.
 */
statusEvidence: Evidence, 
/**
 * Since when.
 */
statusSince: string, 
/**
 * What its agent says that it is at, in one line, while it works or waits.
 */
currentTask: string | null, 
/**
 * Why it seems stuck, where it works and nothing new was seen for long.
 */
stuck: Evidence | null, 
/**
 * How far its agent is with the tools that Downbeat gave it; absent where it gave none.
 */
tools: ToolsState | null, 
/**
 * What keeps it waiting.
 */
question: Question | null, 
/**
 * The usage limit that keeps it waiting.
 */
limit: LimitState | null, 
/**
 * Why it is not at work: what it waits for, in one line, and until when where that is known.
 */
reason: Reason | null, 
/**
 * Why it needs the person, where it does. Every face shows and counts this, and none decides it again.
 */
attention: Attention | null, 
/**
 * Until when the person snoozed what it needs them for; absent if nothing is snoozed.
 */
snoozedUntil: string | null, 
/**
 * Its column of the board, by who must act next. Every face shows this, and none decides it again.
 */
column: Column, 
/**
 * Why it is held back, where it is.
 */
paused: PauseState | null, 
/**
 * What went wrong, where something did, with the way out.
 */
error: string | null, 
/**
 * Whether it runs its task once and ends.
 */
once: boolean, 
/**
 * Where it runs.
 */
workspace: Workspace, 
/**
 * The directory; absent until it is made and after it is removed.
 */
workspacePath: string | null, 
/**
 * Its branch.
 */
branch: string | null, 
/**
 * The dev-server port reserved for it.
 */
port: number | null, 
/**
 * When it was asked for.
 */
createdAt: string, 
/**
 * When it last did anything.
 */
lastActivityAt: string, 
/**
 * How its process ended; absent while it runs and where a signal ended it.
 */
exitCode: number | null, 
/**
 * Whether Resume can bring it back, its worktree too where that was removed.
 */
canResume: boolean, 
/**
 * Whether saved work waits to be restored.
 */
hasBackup: boolean, 
/**
 * Messages that wait for its agent.
 */
queued: number, 
/**
 * Since when it is put away; absent while it is on the list.
 */
archivedAt: string | null, 
/**
 * What its agent used until its last turn ended.
 */
usage: Usage, 
/**
 * The shells that are open beside its agent, by number.
 */
shells: Array<Shell>, 
/**
 * The first 160 characters of its task; absent if it has none.
 */
taskStart: string | null, 
/**
 * Equal for sessions with the same task; absent if it has none.
 */
taskKey: string | null, 
/**
 * Why its set-up was skipped, if there was something to set up.
 */
setupSkipped: string | null, 
/**
 * The state of the project's checks on its work; absent until a run is requested.
 */
checksState: ChecksState | null, 
/**
 * How much its worktree changed against its base, as counted when its last turn ended; absent until then.
 */
changes: ChangeCount | null, 
/**
 * The other sessions whose worktrees change the same files, as seen when one of them was last counted.
 */
collisions: Array<Collision>, 
/**
 * What is known about its task, if it reported it as done: whether that is only said, or verified by the project's
 * checks of its newest commit.
 */
done: Done | null, 
/**
 * The last review of its work here, and whether it is still about the newest commit; absent before the first.
 */
review: SessionReview | null, 
/**
 * The issue that it works on.
 */
issue: SessionIssue | null, 
/**
 * Its pull requests as they were last seen, the oldest first.
 */
pulls: Array<SessionPull>, 
/**
 * The merge of its work that is under way, or how the last one ended; absent once it has worked again.
 */
mergeState: MergeState | null, 
/**
 * How far it is on its way to the base; absent for a client of an earlier engine.
 */
lifecycle: Lifecycle | null, };

/**
 * Which sessions to list. Every field narrows.
 */
export type SessionFilter = { 
/**
 * Id or name of a project.
 */
project?: string, 
/**
 * Id or name of the session whose workers are meant.
 */
parent?: string, 
/**
 * True for those that are put away, and only those; default those that are not.
 */
archived?: boolean, 
/**
 * Only sessions with these ids. Ids of sessions that do not exist or are not listed are ignored.
 */
ids?: Array<SessionId>, };

/**
 * The short form of a session: how it is, and why.
 */
export type SessionStatus = { 
/**
 * Its identifier.
 */
id: SessionId, 
/**
 * Its readable name.
 */
name: string, 
/**
 * The one word.
 */
status: Status, 
/**
 * The finer observation.
 */
activity: Activity, 
/**
 * Why.
 */
statusEvidence: Evidence, 
/**
 * Since when.
 */
statusSince: string, 
/**
 * What keeps it waiting.
 */
question: Question | null, 
/**
 * Why it is not at work: what it waits for, in one line, and until when where that is known.
 */
reason: Reason | null, 
/**
 * What is known about its task, if it reported it as done.
 */
done: Done | null, 
/**
 * How its process ended.
 */
exitCode: number | null, };

/**
 * What there is to read of a session.
 */
export type OutputKind = "screen" | "answer" | "diff";

/**
 * Asks what happened in a session.
 */
export type GetStory = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * How many entries from the end, at most 1,000; default 200.
 */
limit?: number, };

/**
 * The answer to [`GetStory`].
 */
export type Story = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * The entries, oldest first.
 */
entries: Array<StoryEntry>, 
/**
 * Whether there may be earlier ones.
 */
hasEarlier: boolean, };

/**
 * Something that happened in a session.
 */
export type StoryEntry = { 
/**
 * When, or when it began.
 */
at: string, 
/**
 * When it ended, if it took a while.
 */
until: string | null, 
/**
 * What it is about.
 */
kind: StoryKind, 
/**
 * How it is meant.
 */
tone: StoryTone, 
/**
 * What happened, in one line.
 */
text: string, 
/**
 * More of it: words of a person or an agent, as they were; empty if there is no more.
 */
detail: string, 
/**
 * The full id of a commit.
 */
commit: string | null, };

/**
 * What an entry is about.
 */
export type StoryKind = "session" | "prompt" | "tools" | "answer" | "turn" | "question" | "commit" | "checks" | "review" | "merge" | "reaction" | "report" | "budget";

/**
 * How an entry is meant.
 */
export type StoryTone = "plain" | "good" | "bad" | "needs";

/**
 * Asks why a session's status is what it is.
 */
export type ExplainSession = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * How many facts from the end, at most 200; default 20.
 */
facts?: number, };

/**
 * Something that was seen of a session, or done to it.
 */
export type TracedFact = { 
/**
 * When, by the clock of what saw it.
 */
at: string, 
/**
 * What saw it.
 */
source: EvidenceSource, 
/**
 * What was seen, or which rule matched: `PermissionRequest hook`.
 */
detail: string, 
/**
 * What it means, in a few words: `asks: Bash: npm test`.
 */
meaning: string, 
/**
 * What it did to the status: `running → waiting`; absent where it changed nothing.
 */
effect: string | null, };

/**
 * The answer to [`ExplainSession`].
 */
export type Explanation = { 
/**
 * How it is now.
 */
now: SessionStatus, 
/**
 * What it says that it is at, in one line.
 */
currentTask: string | null, 
/**
 * The usage limit that keeps it waiting.
 */
limit: LimitState | null, 
/**
 * Whether hooks of its agent were heard: from then on, output says nothing.
 */
hasHooks: boolean, 
/**
 * Posts of its agent's hooks that never reached its keeper: it was gone, or there was no room.
 */
lostPosts: number, 
/**
 * What its processes take now; absent where none runs or the system does not tell.
 */
usage: ProcessUsage | null, 
/**
 * What was seen, oldest first.
 */
facts: Array<TracedFact>, };

/**
 * Asks for the text of a session's terminal, its last answer, or what it changed.
 */
export type GetOutput = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * What to read; default the screen.
 */
what?: OutputKind, 
/**
 * How many lines from the end of the screen, at most 10,000; default 50.
 */
lines?: number, };

/**
 * A file that differs.
 */
export type ChangedFile = { 
/**
 * Where, relative to the workspace, without control characters.
 */
path: string, 
/**
 * Lines that were added; absent where they cannot be counted, as in a picture.
 */
added: number | null, 
/**
 * Lines that were removed.
 */
removed: number | null, 
/**
 * Whether git does not know it yet.
 */
isUntracked: boolean, };

/**
 * What a session changed since its base, committed or not.
 */
export type Changes = { 
/**
 * What it is compared with: `main`.
 */
since: string, 
/**
 * How many files differ.
 */
count: number, 
/**
 * Lines that were added, in all files whose lines can be counted.
 */
added: number, 
/**
 * Lines that were removed.
 */
removed: number, 
/**
 * The files by path, at most 500.
 */
files: Array<ChangedFile>, };

/**
 * A text of a session, without colours or control characters.
 */
export type Output = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * Its last lines, soft-wrapped ones joined, trailing blank ones left out; or its agent's last
 * answer; or a line for each changed file: `+12 -3 src/lib.rs`.
 */
text: string, 
/**
 * When it was said, of an answer.
 */
at: string | null, 
/**
 * The window title, where the agent set one; empty with an answer or a diff.
 */
title: string, 
/**
 * Whether this is the last checkpoint of a keeper that is gone.
 */
isCheckpoint: boolean, 
/**
 * The same as numbers, with a diff.
 */
changes: Changes | null, };

/**
 * The time at which a message is delivered.
 */
export type When = "when-ready" | "now";

/**
 * The state of a message.
 */
export type MessageState = "queued" | "typing" | "delivered" | "uncertain" | "failed" | "interrupted";

/**
 * The sender of a message: `person`, `downbeat`, or the id of a session.
 */
export type Sender = string;

/**
 * A message to a session's agent.
 */
export type Message = { 
/**
 * Its number, unique among all.
 */
id: number, 
/**
 * Whose queue it is in.
 */
sessionId: SessionId, 
/**
 * Its place among those that wait, from 1; absent for others.
 */
place: number | null, 
/**
 * The text.
 */
text: string, 
/**
 * Who sent it: `person`, `downbeat`, or the id of a session.
 */
from: Sender, 
/**
 * When it is delivered.
 */
when: When, 
/**
 * How far it is.
 */
state: MessageState, 
/**
 * Why it waits, or how we know what became of it.
 */
detail: string, 
/**
 * When it was sent.
 */
createdAt: string, 
/**
 * When its state changed last.
 */
changedAt: string, };

/**
 * Sends a message to a session's agent.
 */
export type SendMessage = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * The text, also accepted as `message`. It is pasted and submitted, never interpreted.
 */
content: string, 
/**
 * When it is delivered; default `when-ready`.
 */
when?: When, 
/**
 * How long the answer waits for the delivery, in seconds, at most 60; default 6. The message
 * is delivered all the same where that was too short.
 */
waitSeconds?: number, };

/**
 * The answer to [`SendMessage`].
 */
export type MessageReceipt = { 
/**
 * The message's number.
 */
message: number, 
/**
 * How far it is.
 */
state: MessageState, 
/**
 * One sentence on why it waits, or how we know what became of it.
 */
detail: string, };

/**
 * Changes a message. Only one that waits has a text, a place and a time to change.
 */
export type EditMessage = { 
/**
 * Id or readable name of its session.
 */
id: string, 
/**
 * Its number.
 */
message: string, 
/**
 * Another text.
 */
text?: string, 
/**
 * Another place among those that wait, from 1.
 */
place?: number, 
/**
 * When it is delivered; `now` brings it to the front.
 */
when?: When, 
/**
 * Sends it again: only one that was not delivered, that was interrupted, or of which that is
 * uncertain.
 */
again?: boolean, };

/**
 * Names a message.
 */
export type MessageRef = { 
/**
 * Id or readable name of its session.
 */
id: string, 
/**
 * Its number.
 */
message: string, };

/**
 * Names an agent.
 */
export type AgentRef = { 
/**
 * Its id: `claude`, `shell`.
 */
id: string, };

/**
 * All that Downbeat knows of an agent.
 */
export type AgentDetail = { 
/**
 * The agent as it is offered.
 */
agent: Agent, 
/**
 * Its manifest, in the form in which a person writes one.
 */
manifest: unknown, };

/**
 * Answers the question that a session's agent shows.
 */
export type AnswerQuestion = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * One of the answers on offer: its number from 1, its text, or the beginning of that. A
 * question in prose (`asks`) takes any text.
 */
choice: string, 
/**
 * The text of the question that is meant: nothing is answered where another one is open by
 * now. Default whichever is open.
 */
question?: string, };

/**
 * What became of an answer.
 */
export type Delivery = "taken" | "uncertain";

/**
 * The answer to [`AnswerQuestion`].
 */
export type AnswerReceipt = { 
/**
 * The answer that was given, as the agent words it.
 */
answer: string, 
/**
 * Whether the question closed.
 */
delivery: Delivery, 
/**
 * One sentence on how we know.
 */
detail: string, };

/**
 * Renames a session.
 */
export type EditSession = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * The new title. The readable name stays.
 */
title: string, };

/**
 * Starts an ended session again in the same directory, with its agent's own conversation.
 */
export type ResumeSession = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * Starts a new conversation where the old one cannot be found.
 */
fresh?: boolean, 
/**
 * Makes a worktree again that was deleted by hand; what was not committed there is gone.
 */
remake?: boolean, };

/**
 * When a session goes on.
 */
export type GoOn = "now" | "after-limit" | "not";

/**
 * Asks a session to go on, or says whether it is to do so by itself.
 */
export type GoOnSession = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * When; default now.
 */
when?: GoOn, };

/**
 * Holds a session back: it takes no messages, and nothing starts below it.
 */
export type PauseSession = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * True for all below it, too.
 */
workers?: boolean, };

/**
 * Snoozes what a session needs the person for.
 */
export type SnoozeSession = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * Until when, in the next 30 days; absent to show it again now.
 */
until?: string, };

/**
 * Goes on after a failed set-up.
 */
export type ContinueSetup = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * True starts the agent although set-up failed; false runs the failed step again.
 */
startAnyway?: boolean, };

/**
 * Whether the agent still has a session's conversation.
 */
export type ConversationState = "kept" | "empty" | "gone";

/**
 * How it stands with a session's directory.
 */
export type PlaceState = "there" | "removed" | "deleted" | "unreachable";

/**
 * What an ended session still has, so that a person can choose how to go on.
 */
export type RestoreState = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * Its conversation.
 */
conversation: ConversationState, 
/**
 * Its directory.
 */
place: PlaceState, 
/**
 * One sentence for the person, where something is missing.
 */
detail: string | null, };

/**
 * Ends a live session's agent gracefully and resumes it in the same conversation. One that is over
 * is resumed.
 */
export type RestartSession = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * The model from now on.
 */
model?: string, 
/**
 * The permission mode from now on. Capped by the parent's.
 */
permissionMode?: PermissionMode, };

/**
 * Asks for a new session that begins with the conversation of another one, in a worktree of its own
 * that starts at the other's commit.
 */
export type ForkSession = { 
/**
 * Id or readable name of the session to fork.
 */
id: string, 
/**
 * What people see; default the other's, with "(fork)".
 */
title?: string, 
/**
 * A readable name; default the title's slug.
 */
name?: string, 
/**
 * The task of the fork; default nothing yet.
 */
prompt?: string, 
/**
 * Whether a copy of the other's uncommitted work comes along. Needed where there is some.
 */
bring?: boolean, };

/**
 * Gives a session's worktree and task to another agent, with a written summary. The agent that has
 * it now is ended gracefully.
 */
export type HandOverSession = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * The agent that takes over.
 */
agent: string, 
/**
 * The model to request; default the agent's own.
 */
model?: string, 
/**
 * What the person wants it to know beside the summary.
 */
note?: string, };

/**
 * The session that a fork began with.
 */
export type ForkedFrom = { 
/**
 * Its identifier; it may be off the list by now.
 */
id: SessionId, 
/**
 * Its readable name then.
 */
name: string, };

/**
 * An agent that had a session before the one that has it now.
 */
export type EarlierAgent = { 
/**
 * The agent's id.
 */
agent: string, 
/**
 * Until when.
 */
until: string, };

/**
 * Stops sessions gracefully; each can be resumed.
 */
export type StopSessions = { 
/**
 * One session, by id or readable name.
 */
id?: string, 
/**
 * All sessions of a project, by id or name.
 */
project?: string, 
/**
 * All sessions.
 */
all?: boolean, };

/**
 * Asks for a session. The answer is the session at once; its workspace is made behind it.
 */
export type NewSession = { 
/**
 * Id or name of the project. A session's token may leave it out: its own project.
 */
projectId?: string, 
/**
 * What people see. Default: the first line of the prompt, else the agent's name.
 */
title?: string, 
/**
 * A readable name; default the title's slug.
 */
name?: string, 
/**
 * What the agent is asked to do.
 */
prompt?: string, 
/**
 * An agent's id; default from config, else `claude`.
 */
agent?: string, 
/**
 * The model to request from the agent.
 */
model?: string, 
/**
 * Gives it the orchestration tools and the briefing to delegate.
 */
conductor?: boolean, 
/**
 * Runs the prompt once, by the agent's own form for that, and ends: nobody is asked anything, and
 * exit code 0 is done. Default no.
 */
once?: boolean, 
/**
 * Id or readable name of the session it belongs under.
 */
parent?: string, 
/**
 * How freely the agent may act; default the project's. Capped by the parent's.
 */
permissionMode?: PermissionMode, 
/**
 * A branch name; default from the template in config. Gets a suffix where it is taken.
 */
branch?: string, 
/**
 * What the branch starts from; default the project's default branch.
 */
base?: string, 
/**
 * Where it runs; default a worktree of its own.
 */
workspace?: Workspace, 
/**
 * The issue that it works on: `42`, `acme/shop#42`, `ENG-42` of Linear, or the address of its page. Title, name and branch follow from
 * it by default, and its text is added to the prompt.
 */
issue?: string, };

/**
 * What a [`NewSession`] would do. Reserves nothing.
 */
export type SpawnPreview = { 
/**
 * The readable name it would get.
 */
name: string, 
/**
 * The agent: as asked for, else as the configuration says.
 */
agent: string, 
/**
 * How freely it may act: as asked for, else as project and configuration say.
 */
permissionMode: PermissionMode, 
/**
 * The directory.
 */
path: string, 
/**
 * The branch, with its suffix where the wanted one is taken.
 */
branch: string | null, 
/**
 * What it starts from.
 */
base: Base | null, 
/**
 * Files that would be copied, relative to the repository; at most 50 are named.
 */
copied: Array<string>, 
/**
 * How many files that is in all.
 */
copiedCount: number, 
/**
 * Commands that would run before the agent.
 */
setup: SetupPlan, 
/**
 * The port it would likely get.
 */
port: number | null, 
/**
 * What stands in the way or is worth knowing, one sentence each.
 */
warnings: Array<string>, };

/**
 * Asks for a session for each of several issues.
 */
export type StartIssues = { 
/**
 * The issues, as in `issue` of a new session; at most 100.
 */
issues: Array<string>, 
/**
 * Id or name of the project. A session's token may leave it out: its own project.
 */
projectId?: string, 
/**
 * What the agents are asked in addition.
 */
prompt?: string, 
/**
 * An agent's id; default from config, else `claude`.
 */
agent?: string, 
/**
 * The model to request from the agents.
 */
model?: string, 
/**
 * Id or readable name of the session they belong under.
 */
parent?: string, };

/**
 * What happened to one issue.
 */
export type StartedIssue = { 
/**
 * The issue, as it was named.
 */
issue: string, 
/**
 * What happened.
 */
outcome: IssueOutcome, 
/**
 * The session that works on it; absent if there is none that the caller may see.
 */
session: SessionId | null, 
/**
 * Why none was started.
 */
why: string | null, };

/**
 * What happened to an issue for which a session was to be started.
 */
export type IssueOutcome = "started" | "skipped" | "dropped" | "failed";

/**
 * Removes the worktrees of sessions that have ended, were merged or whose issue is closed, after saving them, and archives these
 * sessions.
 */
export type CleanUp = { 
/**
 * Only sessions of this project, by id or name.
 */
project?: string, 
/**
 * Only these sessions, by id or name, such as those that a look listed. All if it is absent.
 */
sessions?: Array<string>, 
/**
 * Keeps the sessions and their worktrees, and deletes only build output in worktrees of ended sessions.
 */
buildOutput?: boolean, 
/**
 * Only says what would be removed.
 */
dryRun?: boolean, };

/**
 * Why a worktree can go.
 */
export type CleanupReason = "merged" | "issueClosed" | "ended" | "buildOutput";

/**
 * A worktree in a cleanup.
 */
export type CleanupTree = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * Its name.
 */
name: string, 
/**
 * The size of its worktree, in bytes.
 */
bytes: number, 
/**
 * The size of the build output in it, in bytes.
 */
buildBytes: number, 
/**
 * Why it can go; absent if nothing lets it go.
 */
because: CleanupReason | null, 
/**
 * Why it stays; absent if it goes, or went.
 */
kept: string | null, };

/**
 * What a workspace holds, asked before it is removed.
 */
export type WorkspaceState = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * The directory; absent where it is gone.
 */
path: string | null, 
/**
 * Its branch.
 */
branch: string | null, 
/**
 * Files with uncommitted changes, untracked ones too; at most 50 are named.
 */
dirty: Array<string>, 
/**
 * How many files that is in all.
 */
dirtyCount: number, 
/**
 * Commits on the branch that neither its base nor any remote has, and that were not merged.
 */
unpushed: number, 
/**
 * Copied files that were changed since, and files added to copied directories; saved too.
 */
changedCopies: Array<string>, 
/**
 * Other files that git ignores and that no tool can make again; at most 50 places are named,
 * what is too large to save first. What is saved needs no yes.
 */
ignored: Array<IgnoredWork>, 
/**
 * How many places that is in all.
 */
ignoredCount: number, 
/**
 * Why git cannot read it, if so: nothing of it can be saved. A removal that is forced moves its folder
 * aside, whole.
 */
unreadable: string | null, 
/**
 * Why it cannot be removed now (still running, in place, submodules with work), if so.
 */
blocked: string | null, 
/**
 * Bytes on disk, not counting what it shares by hard links.
 */
bytes: number, };

/**
 * A file or directory that git ignores and that somebody filled.
 */
export type IgnoredWork = { 
/**
 * Where, relative to the worktree.
 */
path: string, 
/**
 * How many files; not all are counted where it is too large to save.
 */
files: number, 
/**
 * Their bytes.
 */
bytes: number, 
/**
 * Whether it is saved before a removal. What is not is lost with the worktree.
 */
saved: boolean, };

/**
 * Measures or deletes the build output in a worktree: folders that git ignores and that tools fill again, such as `target`
 * and `node_modules`.
 */
export type ClearBuildOutput = { 
/**
 * The session, by id or readable name.
 */
id: string, 
/**
 * Only measures it.
 */
dryRun?: boolean, };

/**
 * The build output in a worktree.
 */
export type BuildOutput = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * Its folders, relative to the worktree.
 */
folders: Array<string>, 
/**
 * Their size in bytes, not counting what is shared by hard links.
 */
bytes: number, };

/**
 * Removes a session's workspace, and what else is ticked.
 */
export type RemoveWorkspace = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * Yes to removing although work is dirty or unpushed. It is saved first, always.
 */
force?: boolean, 
/**
 * Deletes the branch too, where it is merged or saved. Default no.
 */
deleteBranch?: boolean, 
/**
 * Takes the session off the list too. Default no.
 */
forget?: boolean, };

/**
 * Work that was saved before a removal.
 */
export type Backup = { 
/**
 * The ref: `refs/downbeat/backup/<session>/<n>`.
 */
name: string, 
/**
 * The commit it names.
 */
commit: string, 
/**
 * Files in it that were not committed.
 */
files: number, 
/**
 * When it was saved.
 */
at: string, 
/**
 * It is missing or damaged, and cannot be brought back; the commit is empty where it is not known.
 */
damaged: boolean, };

/**
 * What a removal did.
 */
export type Removal = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * Where the work was saved; absent where there was none.
 */
backup: Backup | null, 
/**
 * The branch that was deleted.
 */
deletedBranch: string | null, 
/**
 * How many shells in it were ended.
 */
shells: number, 
/**
 * What of it stays on the disk, where, and how to delete it, in words.
 */
left: string | null, };

/**
 * Makes a removed worktree again: its branch, and the saved files uncommitted as they were.
 */
export type RestoreWork = { 
/**
 * Id or readable name.
 */
id: string, 
/**
 * Which backup; default what the last removal saved, nothing where it was clean.
 */
backup?: string, };

/**
 * When a wait is over.
 */
export type WaitUntil = "any" | "all";

/**
 * Waits for something to happen among workers.
 */
export type WaitForWorkers = { 
/**
 * Id or readable name of their conductor.
 */
id: string, 
/**
 * Which workers, by id or readable name; default all.
 */
workers?: Array<string>, 
/**
 * What to wait for; default `any`.
 */
until?: WaitUntil, 
/**
 * How long at most, in seconds, at most 3600; default 45.
 */
timeoutSeconds?: number, };

/**
 * What kind of stop an event of a worker is. A hint: where nothing else tells, the form of the agent's answer decides, so an agent that
 * says that it is done need not be.
 */
export type Stop = "question" | "choice" | "confirmation" | "plan" | "error" | "held" | "complete" | "turn_ended" | "ended";

/**
 * What happened to a worker.
 */
export type WorkerEventKind = "reported" | "asks" | "finished" | "checked" | "collides" | "waiting" | "paused" | "exited" | "killed" | "errored" | "setup_failed";

/**
 * Something that happened to a worker. Each is handed out once.
 */
export type WorkerEvent = { 
/**
 * The worker's identifier.
 */
sessionId: SessionId, 
/**
 * Its readable name.
 */
workerName: string, 
/**
 * What happened.
 */
type: WorkerEventKind, 
/**
 * What kind of stop that is; a hint. `None` where the worker did not stop.
 */
stop: Stop | null, 
/**
 * The report or question, else one line: the exit code, the error.
 */
detail: string, 
/**
 * The end of what it said last, where it finished a turn, or asks in its own words, and said something.
 */
answer: string | null, 
/**
 * Why it is not at work, where it waits or did not start.
 */
reason: Reason | null, 
/**
 * What Downbeat tells its conductor besides: that their messages have changed nothing for a while.
 */
warning: string | null, 
/**
 * The last lines of its terminal when this was handed out; empty where nothing is kept of it.
 */
terminalContent: string, 
/**
 * When.
 */
timestamp: string, };

/**
 * The answer to [`WaitForWorkers`].
 */
export type WaitReport = { 
/**
 * What happened since the last report, oldest first; empty where the time ran out.
 */
events: Array<WorkerEvent>, 
/**
 * Whether the time ran out.
 */
timedOut: boolean, 
/**
 * How each worker is now.
 */
workers: Array<SessionStatus>, };

/**
 * How a worker says its task went.
 */
export type ReportStatus = "done" | "partial" | "blocked" | "failed";

/**
 * Says what came of a worker's task.
 */
export type ReportResult = { 
/**
 * Id or readable name of the worker.
 */
id: string, 
/**
 * How it went.
 */
status: ReportStatus, 
/**
 * What was done, run and seen, and what is left; at most 16 KB.
 */
summary: string, 
/**
 * The files that matter, relative to its workspace; at most 200.
 */
files?: Array<string>, };

/**
 * The outcome of a task, as its worker reports it.
 */
export type WorkerReport = { 
/**
 * How it went.
 */
status: ReportStatus, 
/**
 * In its own words.
 */
summary: string, 
/**
 * The files that it named.
 */
files: Array<string>, 
/**
 * When.
 */
at: string, };

/**
 * Asks a worker's conductor.
 */
export type AskConductor = { 
/**
 * Id or readable name of the worker.
 */
id: string, 
/**
 * The question; at most 16 KB.
 */
question: string, };

/**
 * Which sessions an operation on several ended.
 */
export type Ended = { 
/**
 * Their readable names.
 */
sessions: Array<string>, };

/**
 * A coding agent, or the shell, or a command from config.
 */
export type Agent = { 
/**
 * Its id: `claude`, `shell`.
 */
id: string, 
/**
 * Its name: `Claude Code`.
 */
name: string, 
/**
 * The versions that Downbeat was tried with, separated by commas; absent where nobody tried it.
 */
tried: string | null, 
/**
 * Whether the version that is installed is none of those.
 */
untried: boolean, 
/**
 * Whether its program was found.
 */
installed: boolean, 
/**
 * What it says of its version, as far as it is known.
 */
version: string | null, 
/**
 * Whether it is being asked for its version: nothing waits for that.
 */
asking: boolean, 
/**
 * Where its program is.
 */
path: string | null, 
/**
 * How to get it, where it is missing.
 */
installHint: string | null, 
/**
 * What is wrong with a manifest of the person's for it, which does not count.
 */
problem: string | null, 
/**
 * Whether it can be given the orchestration tools.
 */
canConduct: boolean, 
/**
 * Whether it tells its status by hooks; else title and screen by its rules, output and exit do.
 */
hasHooks: boolean, 
/**
 * Whether an ended conversation can be resumed.
 */
canResume: boolean, 
/**
 * Whether a new session can begin with a copy of a conversation.
 */
canFork: boolean, 
/**
 * Whether it can run one prompt and end.
 */
canRunOnce: boolean, 
/**
 * Whether it then only reads where the permission mode would have it ask first.
 */
onceReads: boolean, };

/**
 * How urgent a notice is.
 */
export type NoticePriority = "info" | "warning" | "action" | "urgent";

/**
 * Why the person is told.
 */
export type NoticeKind = "needsInput" | "finished" | "exited" | "failed" | "needsLook" | "raised" | "test";

/**
 * One notice.
 */
export type Notice = { 
/**
 * Its number.
 */
id: number, 
/**
 * Why.
 */
kind: NoticeKind, 
/**
 * How urgent it is.
 */
priority: NoticePriority, 
/**
 * The session it is about, if any.
 */
sessionId: SessionId | null, 
/**
 * The plan it is about, if any.
 */
planId?: PlanId, 
/**
 * The project of the session or the plan.
 */
projectId: ProjectId | null, 
/**
 * That session's title then, or the title that the notice was given.
 */
title: string, 
/**
 * The question, the exit code, the error.
 */
text: string, 
/**
 * When.
 */
at: string, 
/**
 * Whether the person has seen it.
 */
read: boolean, 
/**
 * Whether it is shown on the desktop, by its priority.
 */
onDesktop: boolean, };

/**
 * Marks notices as read.
 */
export type ReadNotices = { 
/**
 * Which; default all.
 */
ids?: number[], };

/**
 * Raises a notice for the person.
 */
export type AddAttention = { 
/**
 * What the person should know, at most 4,000 characters.
 */
text: string, 
/**
 * The session it is about, by its id or name. A session's token can only name its own.
 */
session?: string, 
/**
 * How urgent it is; default `action`.
 */
priority?: NoticePriority, 
/**
 * Its title, at most 200 characters; default the session's.
 */
title?: string, };

/**
 * A notifier. No secret is part of it.
 */
export type NotifierState = { 
/**
 * Its name in the configuration.
 */
name: string, 
/**
 * Its kind: `desktop`, `slack`, `discord`, `webhook`, `composio`, `openclaw` or `ntfy`.
 */
kind: string, 
/**
 * Where it sends to, without what may be secret: `hooks.slack.com/…`.
 */
address: string | null, 
/**
 * The priorities of the notices that it gets, the most urgent first.
 */
gets: Array<NoticePriority>, 
/**
 * Why it cannot be asked, with the way out.
 */
problem: string | null, 
/**
 * The number of notices that wait for it.
 */
waiting: number, 
/**
 * When it last took a message.
 */
deliveredAt: string | null, 
/**
 * Why the last try failed; absent if a message was delivered since.
 */
error: string | null, 
/**
 * When that was.
 */
failedAt: string | null, 
/**
 * The number of notices that were given up since a message was delivered.
 */
givenUp: number, 
/**
 * Until when it wants to be left alone.
 */
waitsUntil: string | null, };

/**
 * Names a notifier.
 */
export type NotifierRef = { 
/**
 * Its name.
 */
name: string, };

/**
 * What became of a test.
 */
export type NotifierTested = { 
/**
 * Whether the message was delivered.
 */
delivered: boolean, 
/**
 * What happened, in words.
 */
told: string, };

/**
 * Reports what the person looks at, so that no notice about it is sent.
 */
export type ReportView = { 
/**
 * The page that reports, by any word that is its own.
 */
viewer: string, 
/**
 * The session that it shows while it has the focus; none if it shows none, or has not the focus.
 */
session: string | null, };

/**
 * A process that bears the mark of a session which is over, or which nobody knows any more.
 */
export type Orphan = { 
/**
 * Its id in the system.
 */
pid: number, 
/**
 * What it calls itself.
 */
name: string, 
/**
 * The session that started it.
 */
sessionId: SessionId, 
/**
 * That session's readable name, where it is still on the list.
 */
session: string | null, };

/**
 * Ends such processes.
 */
export type EndOrphans = { 
/**
 * Of one session, by id or readable name; default of all.
 */
session?: string, };

/**
 * What the processes of a session take.
 */
export type ProcessUsage = { 
/**
 * How many there are.
 */
processes: number, 
/**
 * Bytes of memory that they hold, shared ones counted for each.
 */
bytes: number, };

/**
 * Light, dark, or as the system says.
 */
export type Theme = "system" | "light" | "dark";

/**
 * A command of the interface that a key can run. What it does and which key runs it by default
 * stands in `ui/src/frame/commands.ts`, which must have a row for each.
 */
export type Command = "palette" | "search" | "board" | "nextNeedy" | "attention" | "cost" | "timeline" | "plans" | "previousSession" | "nextSession" | "previousTab" | "nextTab" | "focusSidebar" | "nextRegion" | "previousRegion" | "answer" | "writeMessage" | "notices" | "newSession" | "newWorker" | "tryTwo" | "compare" | "review" | "approve" | "requestChanges" | "find" | "newShell" | "closeShell" | "openInPane" | "rename" | "resume" | "pause" | "goOn" | "snooze" | "restart" | "fork" | "createPull" | "reactionHistory" | "handOver" | "retrySetup" | "startAnyway" | "stop" | "kill" | "killWorkers" | "removeWorkspace" | "restoreWork" | "forget" | "archive" | "copyBranch" | "copyPath" | "openInEditor" | "addProject" | "stopAll" | "archived" | "mergeQueue" | "redToGreen" | "newPlan" | "toggleSidebar" | "toggleDetails" | "splitRight" | "splitBelow" | "closePane" | "zoomPane" | "nextPane" | "previousPane" | "paneLeft" | "paneRight" | "paneUp" | "paneDown" | "movePaneLeft" | "movePaneRight" | "movePaneUp" | "movePaneDown" | "largerText" | "smallerText" | "usualText" | "themeLight" | "themeDark" | "themeSystem" | "settings" | "keys" | "readNotices" | "removeEnded" | "quit";

/**
 * The budgets of the settings, each empty if there is none.
 */
export type BudgetSettings = { 
/**
 * Of each session itself (`budgets.session`).
 */
session: Budget, 
/**
 * Of each conductor with all below it (`budgets.subtree`).
 */
subtree: Budget, 
/**
 * Of each project per day (`budgets.projectDay`).
 */
projectDay: Budget, 
/**
 * The share of a budget in per cent at which the person is warned, 1 to 100 (`budgets.warn`).
 */
warn: number, };

/**
 * All settings.
 */
export type Settings = { 
/**
 * Holds off idle sleep while an agent works (`power.preventIdleSleep`).
 */
preventIdleSleep: boolean, 
/**
 * Shows desktop notifications (`notifications.desktop`).
 */
desktopNotifications: boolean, 
/**
 * Whether they make a sound (`notifiers.desktop.sound`).
 */
desktopSound: boolean, 
/**
 * The agent of new sessions (`defaults.agent`).
 */
defaultAgent: string, 
/**
 * The permission mode of new projects (`defaults.permissionMode`).
 */
defaultPermissionMode: PermissionMode, 
/**
 * Light or dark (`appearance.theme`).
 */
theme: Theme, 
/**
 * Size of terminal text in CSS pixels, 8 to 32 (`appearance.terminalFontSize`).
 */
terminalFontSize: number, 
/**
 * The font of terminals, by the name that the system knows it by (`appearance.terminalFont`); absent for the one that comes
 * with Downbeat.
 */
terminalFont: string | null, 
/**
 * Size of the interface's text in CSS pixels, 11 to 20 (`appearance.interfaceFontSize`).
 */
interfaceFontSize: number, 
/**
 * What sessions, conductors and projects may use (`budgets`).
 */
budgets: BudgetSettings, 
/**
 * Deepest level of workers, 0 to 5 (`limits.maxDepth`).
 */
maxDepth: number, 
/**
 * Live workers per conductor, 1 to 100 (`limits.workersPerConductor`).
 */
workersPerConductor: number, 
/**
 * Live sessions in all, 1 to 500 (`limits.totalSessions`).
 */
totalSessions: number, 
/**
 * Live sessions of each project, 1 to 500; without one, only the limit of all sessions applies
 * (`limits.sessionsPerProject`).
 */
sessionsPerProject?: number, 
/**
 * Whether sessions go on by themselves once a usage limit is over (`usageLimits.goOn`).
 */
goOnAfterLimit: boolean, 
/**
 * The keys that the person chose, such as `mod+Shift+A` (`mod` is ⌘ on macOS, else Ctrl), or
 * `none`; a command that is not among them has its usual keys (`keys`).
 */
keys: { [key in Command]?: string }, 
/**
 * The program that makes a plan of a goal; without one, a session does (`planner`).
 */
planner: string | null, 
/**
 * The templates of plans, by name: those that everybody has, and the person's own (`planTemplates`).
 */
planTemplates: Array<TemplateInfo>, 
/**
 * The file that holds them.
 */
configPath: string, 
/**
 * What is wrong with that file now, with its lines; what counted before goes on meanwhile.
 */
problem: string | null, };

/**
 * Changes settings; absent fields stay.
 */
export type EditSettings = { 
/**
 * See [`Settings`].
 */
preventIdleSleep?: boolean, 
/**
 * See [`Settings`].
 */
desktopNotifications?: boolean, 
/**
 * See [`Settings`].
 */
defaultAgent?: string, 
/**
 * See [`Settings`].
 */
defaultPermissionMode?: PermissionMode, 
/**
 * See [`Settings`].
 */
theme?: Theme, 
/**
 * See [`Settings`].
 */
terminalFontSize?: number, 
/**
 * See [`Settings`]; empty for the font that comes with Downbeat.
 */
terminalFont?: string, 
/**
 * See [`Settings`].
 */
interfaceFontSize?: number, 
/**
 * See [`Settings`]; all of them, as they are to be.
 */
budgets?: BudgetSettings, 
/**
 * See [`Settings`].
 */
maxDepth?: number, 
/**
 * See [`Settings`].
 */
workersPerConductor?: number, 
/**
 * See [`Settings`].
 */
totalSessions?: number, 
/**
 * See [`Settings`]; 0 for none.
 */
sessionsPerProject?: number, 
/**
 * See [`Settings`].
 */
goOnAfterLimit?: boolean, 
/**
 * Keys to change, see [`Settings`]; null gives a command its usual keys back.
 */
keys?: { [key in Command]?: string | null }, };

/**
 * What a page keeps, by name.
 */
export type Preferences = { 
/**
 * At most 16 in all, each of at most 4,096 bytes; a name is at most 40 letters, digits and dots.
 * Where they are sent, the names that are absent stay as they are.
 */
values: { [key in string]: string }, };

