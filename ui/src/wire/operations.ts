// Generated from crates/wire by `npm run wire`. Do not edit.

import type * as t from "./types";

/** Request and response of every operation. */
export interface Operations {
  /** What the engine is, and how many sessions work or need the person. */
  getEngine: { request: t.Nothing; response: t.EngineInfo };
  /** Ends the engine; the sessions go on or are stopped, as asked. */
  shutdownEngine: { request: t.Shutdown; response: t.Nothing };
  /** All projects. */
  listProjects: { request: t.Nothing; response: t.Project[] };
  /** Adds a repository as a project. */
  addProject: { request: t.AddProject; response: t.Project };
  /** Tells what a folder is before it is added. */
  inspectFolder: { request: t.InspectFolder; response: t.FolderReport };
  /** One project. */
  getProject: { request: t.ProjectRef; response: t.Project };
  /** Renames a project, says where it was moved to, answers its trust question, approves its set-up. */
  editProject: { request: t.EditProject; response: t.Project };
  /** Takes a project off the list. Refused while sessions of it live or have workspaces. */
  removeProject: { request: t.RemoveProject; response: t.Nothing };
  /** The branches that a session of the project can start from, newest commit first. */
  listBranches: { request: t.ProjectRef; response: t.Branch[] };
  /** Summaries of sessions, in the order of the sidebar (`?project=`, `?parent=`, `?archived=true`, `?ids=` for each that is wanted). */
  listSessions: { request: t.SessionFilter; response: t.SessionSummary[] };
  /** Asks for a session; answers at once, with its workspace still to be made. */
  createSession: { request: t.NewSession; response: t.Session };
  /** Tells what a new session would do, without doing it. */
  previewSession: { request: t.NewSession; response: t.SpawnPreview };
  /** Stops sessions gracefully: one, a project's, or all. */
  stopSessions: { request: t.StopSessions; response: t.Ended };
  /** One session, with everything that is known of it. */
  getSession: { request: t.SessionRef; response: t.Session };
  /** How a session is, and why. */
  getStatus: { request: t.SessionRef; response: t.SessionStatus };
  /** Why a session's status is what it is: the last facts, and what each did. */
  explainSession: { request: t.ExplainSession; response: t.Explanation };
  /** Forgets what is known of a session's status: it is unknown until its agent tells more. */
  clearStatus: { request: t.SessionRef; response: t.Session };
  /** The text of a session's terminal, its agent's last answer, or what it changed. */
  getOutput: { request: t.GetOutput; response: t.Output };
  /** Puts a message for a session's agent into its queue; answers once it is delivered, or after the given time. */
  sendMessage: { request: t.SendMessage; response: t.MessageReceipt };
  /** The messages of a session: what became of the last ones, then those that wait. */
  listMessages: { request: t.SessionRef; response: t.Message[] };
  /** Changes a message that waits: its text, its place, when it is delivered. Sends one again that did not arrive. */
  editMessage: { request: t.EditMessage; response: t.Message };
  /** Takes a message out of a session's queue. */
  deleteMessage: { request: t.MessageRef; response: t.Nothing };
  /** Answers the question that a session's agent asks. A conductor may where its project allows it. */
  answerQuestion: { request: t.AnswerQuestion; response: t.AnswerReceipt };
  /** Changes a session's title. */
  editSession: { request: t.EditSession; response: t.Session };
  /** Kills a session's whole process tree now. Its workspace stays. */
  killSession: { request: t.SessionRef; response: t.Session };
  /** Starts an ended session again where it was; makes its worktree again where that was removed. */
  resumeSession: { request: t.ResumeSession; response: t.Session };
  /** Holds a session back: it takes no messages, nothing starts below it, its turn is interrupted. */
  pauseSession: { request: t.PauseSession; response: t.Session };
  /** Lets a session go on that is paused or waits for the end of a usage limit: now, or by itself then. */
  goOnSession: { request: t.GoOnSession; response: t.Session };
  /** What an ended session still has: its conversation, its directory. */
  getRestore: { request: t.SessionRef; response: t.RestoreState };
  /** Ends a session's agent gracefully and resumes it in the same conversation. */
  restartSession: { request: t.RestartSession; response: t.Session };
  /** Starts a new session from another one's conversation, in a worktree of its own. */
  forkSession: { request: t.ForkSession; response: t.Session };
  /** Gives a session's worktree to another agent, with a written summary. */
  handOverSession: { request: t.HandOverSession; response: t.Session };
  /** Puts an ended session away, with the ended workers below it. Its worktree stays. */
  archiveSession: { request: t.OffTheList; response: t.Session };
  /** Puts an archived session on the list again, with what was archived below it. */
  unarchiveSession: { request: t.SessionRef; response: t.Session };
  /** Runs a failed set-up again, or starts the agent all the same. */
  continueSetup: { request: t.ContinueSetup; response: t.Session };
  /** What a session's workspace holds that is not safe yet. */
  getWorkspace: { request: t.SessionRef; response: t.WorkspaceState };
  /** Removes a session's workspace, after saving what is in it. */
  removeWorkspace: { request: t.RemoveWorkspace; response: t.Removal };
  /** Saved work of a session, newest first. */
  listBackups: { request: t.SessionRef; response: t.Backup[] };
  /** Makes a removed worktree again, with the work that was saved. */
  restoreWork: { request: t.RestoreWork; response: t.Session };
  /** Opens another shell in a session's workspace, beside its agent. */
  openShell: { request: t.SessionRef; response: t.Shell };
  /** Ends such a shell, and what runs in it. Refused without `force` where something does. */
  closeShell: { request: t.CloseShell; response: t.Nothing };
  /** Takes an ended session without a workspace off the list. */
  forgetSession: { request: t.OffTheList; response: t.Nothing };
  /** The workers directly below a session. */
  listWorkers: { request: t.SessionRef; response: t.Session[] };
  /** Waits for something to happen among a session's workers. */
  waitForWorkers: { request: t.WaitForWorkers; response: t.WaitReport };
  /** Says that a session's agent was given the list of its tools: for the bridge that gave it. */
  toolsListed: { request: t.SessionRef; response: t.Nothing };
  /** Says what came of a worker's task; its conductor is told. */
  reportResult: { request: t.ReportResult; response: t.Session };
  /** Asks a worker's conductor. The worker waits for the answer once its turn ends. */
  askConductor: { request: t.AskConductor; response: t.Session };
  /** Kills all workers below a session, at every level. */
  killWorkers: { request: t.SessionRef; response: t.Ended };
  /** Finds words in what was said in sessions, and on the screens of those that rest or ended. */
  search: { request: t.Search; response: t.Hit[] };
  /** What agents used, in tokens and dollars: by day, model, session and project. */
  getUsage: { request: t.GetUsage; response: t.UsageReport };
  /** Which agents there are and whether they are installed. */
  listAgents: { request: t.Nothing; response: t.Agent[] };
  /** What Downbeat knows of an agent: how it is started, what its title and screen say. */
  getAgent: { request: t.AgentRef; response: t.AgentDetail };
  /** Processes that run although their session is over (Linux; elsewhere none is found). */
  listOrphans: { request: t.Nothing; response: t.Orphan[] };
  /** Ends such processes: of one session, or all. */
  endOrphans: { request: t.EndOrphans; response: t.Orphan[] };
  /** Notices, newest first, at most 200. */
  listNotices: { request: t.Nothing; response: t.Notice[] };
  /** Marks notices as read. */
  readNotices: { request: t.ReadNotices; response: t.Nothing };
  /** The settings. */
  getSettings: { request: t.Nothing; response: t.Settings };
  /** Changes settings, keeping comments and unknown order of the file. */
  editSettings: { request: t.EditSettings; response: t.Settings };
  /** What a page of the interface keeps for its next start. */
  getPreferences: { request: t.Nothing; response: t.Preferences };
  /** Keeps such values; those of other names stay. */
  keepPreferences: { request: t.Preferences; response: t.Nothing };
}

/** Where each operation lives, and what is out of date after it. */
export const OPERATIONS = {
  getEngine: { name: "get_engine", method: "GET", path: "/api/engine", repeat: "harmless", invalidates: [] },
  shutdownEngine: { name: "shutdown_engine", method: "POST", path: "/api/engine/shutdown", repeat: "never", invalidates: ["engine"] },
  listProjects: { name: "list_projects", method: "GET", path: "/api/projects", repeat: "harmless", invalidates: [] },
  addProject: { name: "add_project", method: "POST", path: "/api/projects", repeat: "keyed", invalidates: ["projects"] },
  inspectFolder: { name: "inspect_folder", method: "POST", path: "/api/projects/inspect", repeat: "harmless", invalidates: [] },
  getProject: { name: "get_project", method: "GET", path: "/api/projects/{id}", repeat: "harmless", invalidates: [] },
  editProject: { name: "edit_project", method: "PATCH", path: "/api/projects/{id}", repeat: "keyed", invalidates: ["projects"] },
  removeProject: { name: "remove_project", method: "DELETE", path: "/api/projects/{id}", repeat: "keyed", invalidates: ["projects"] },
  listBranches: { name: "list_branches", method: "GET", path: "/api/projects/{id}/branches", repeat: "harmless", invalidates: [] },
  listSessions: { name: "list_sessions", method: "GET", path: "/api/sessions", repeat: "harmless", invalidates: [] },
  createSession: { name: "create_session", method: "POST", path: "/api/sessions", repeat: "keyed", invalidates: ["session"] },
  previewSession: { name: "preview_session", method: "POST", path: "/api/sessions/preview", repeat: "harmless", invalidates: [] },
  stopSessions: { name: "stop_sessions", method: "POST", path: "/api/sessions/stop", repeat: "keyed", invalidates: ["sessions"] },
  getSession: { name: "get_session", method: "GET", path: "/api/sessions/{id}", repeat: "harmless", invalidates: [] },
  getStatus: { name: "get_status", method: "GET", path: "/api/sessions/{id}/status", repeat: "harmless", invalidates: [] },
  explainSession: { name: "explain_session", method: "GET", path: "/api/sessions/{id}/explain", repeat: "harmless", invalidates: [] },
  clearStatus: { name: "clear_status", method: "POST", path: "/api/sessions/{id}/clear-status", repeat: "keyed", invalidates: ["session"] },
  getOutput: { name: "get_output", method: "GET", path: "/api/sessions/{id}/output", repeat: "harmless", invalidates: [] },
  sendMessage: { name: "send_message", method: "POST", path: "/api/sessions/{id}/message", repeat: "keyed", invalidates: ["messages","session"] },
  listMessages: { name: "list_messages", method: "GET", path: "/api/sessions/{id}/messages", repeat: "harmless", invalidates: [] },
  editMessage: { name: "edit_message", method: "PATCH", path: "/api/sessions/{id}/messages/{message}", repeat: "keyed", invalidates: ["messages","session"] },
  deleteMessage: { name: "delete_message", method: "DELETE", path: "/api/sessions/{id}/messages/{message}", repeat: "keyed", invalidates: ["messages","session"] },
  answerQuestion: { name: "answer_question", method: "POST", path: "/api/sessions/{id}/answer", repeat: "keyed", invalidates: ["session"] },
  editSession: { name: "edit_session", method: "PATCH", path: "/api/sessions/{id}", repeat: "keyed", invalidates: ["session"] },
  killSession: { name: "kill_session", method: "DELETE", path: "/api/sessions/{id}", repeat: "keyed", invalidates: ["session"] },
  resumeSession: { name: "resume_session", method: "POST", path: "/api/sessions/{id}/resume", repeat: "keyed", invalidates: ["session"] },
  pauseSession: { name: "pause_session", method: "POST", path: "/api/sessions/{id}/pause", repeat: "keyed", invalidates: ["session","messages"] },
  goOnSession: { name: "go_on_session", method: "POST", path: "/api/sessions/{id}/go-on", repeat: "keyed", invalidates: ["session","messages"] },
  getRestore: { name: "get_restore", method: "GET", path: "/api/sessions/{id}/restore", repeat: "harmless", invalidates: [] },
  restartSession: { name: "restart_session", method: "POST", path: "/api/sessions/{id}/restart", repeat: "keyed", invalidates: ["session"] },
  forkSession: { name: "fork_session", method: "POST", path: "/api/sessions/{id}/fork", repeat: "keyed", invalidates: ["session"] },
  handOverSession: { name: "hand_over_session", method: "POST", path: "/api/sessions/{id}/hand-over", repeat: "keyed", invalidates: ["session"] },
  archiveSession: { name: "archive_session", method: "POST", path: "/api/sessions/{id}/archive", repeat: "keyed", invalidates: ["session"] },
  unarchiveSession: { name: "unarchive_session", method: "POST", path: "/api/sessions/{id}/unarchive", repeat: "keyed", invalidates: ["session"] },
  continueSetup: { name: "continue_setup", method: "POST", path: "/api/sessions/{id}/setup", repeat: "keyed", invalidates: ["session"] },
  getWorkspace: { name: "get_workspace", method: "GET", path: "/api/sessions/{id}/workspace", repeat: "harmless", invalidates: [] },
  removeWorkspace: { name: "remove_workspace", method: "DELETE", path: "/api/sessions/{id}/workspace", repeat: "keyed", invalidates: ["session"] },
  listBackups: { name: "list_backups", method: "GET", path: "/api/sessions/{id}/backups", repeat: "harmless", invalidates: [] },
  restoreWork: { name: "restore_work", method: "POST", path: "/api/sessions/{id}/restore-work", repeat: "keyed", invalidates: ["session"] },
  openShell: { name: "open_shell", method: "POST", path: "/api/sessions/{id}/shells", repeat: "keyed", invalidates: ["session"] },
  closeShell: { name: "close_shell", method: "DELETE", path: "/api/sessions/{id}/shells/{shell}", repeat: "keyed", invalidates: ["session"] },
  forgetSession: { name: "forget_session", method: "POST", path: "/api/sessions/{id}/forget", repeat: "keyed", invalidates: ["session"] },
  listWorkers: { name: "list_workers", method: "GET", path: "/api/sessions/{id}/workers", repeat: "harmless", invalidates: [] },
  waitForWorkers: { name: "wait_for_workers", method: "POST", path: "/api/sessions/{id}/workers/wait", repeat: "keyed", invalidates: [] },
  toolsListed: { name: "tools_listed", method: "POST", path: "/api/sessions/{id}/tools-listed", repeat: "keyed", invalidates: ["session"] },
  reportResult: { name: "report_result", method: "POST", path: "/api/sessions/{id}/report", repeat: "keyed", invalidates: ["session"] },
  askConductor: { name: "ask_conductor", method: "POST", path: "/api/sessions/{id}/ask", repeat: "keyed", invalidates: ["session"] },
  killWorkers: { name: "kill_workers", method: "POST", path: "/api/sessions/{id}/workers/kill", repeat: "keyed", invalidates: ["session"] },
  search: { name: "search", method: "GET", path: "/api/search", repeat: "harmless", invalidates: [] },
  getUsage: { name: "get_usage", method: "GET", path: "/api/usage", repeat: "harmless", invalidates: [] },
  listAgents: { name: "list_agents", method: "GET", path: "/api/agents", repeat: "harmless", invalidates: [] },
  getAgent: { name: "get_agent", method: "GET", path: "/api/agents/{id}", repeat: "harmless", invalidates: [] },
  listOrphans: { name: "list_orphans", method: "GET", path: "/api/orphans", repeat: "harmless", invalidates: [] },
  endOrphans: { name: "end_orphans", method: "POST", path: "/api/orphans/end", repeat: "keyed", invalidates: [] },
  listNotices: { name: "list_notices", method: "GET", path: "/api/notices", repeat: "harmless", invalidates: [] },
  readNotices: { name: "read_notices", method: "POST", path: "/api/notices/read", repeat: "keyed", invalidates: ["notices"] },
  getSettings: { name: "get_settings", method: "GET", path: "/api/settings", repeat: "harmless", invalidates: [] },
  editSettings: { name: "edit_settings", method: "PATCH", path: "/api/settings", repeat: "keyed", invalidates: ["settings"] },
  getPreferences: { name: "get_preferences", method: "GET", path: "/api/preferences", repeat: "harmless", invalidates: [] },
  keepPreferences: { name: "keep_preferences", method: "PATCH", path: "/api/preferences", repeat: "harmless", invalidates: [] },
} as const satisfies Record<keyof Operations, { name: string; method: string; path: string; repeat: "harmless" | "keyed" | "never"; invalidates: readonly t.Topic[] }>;
