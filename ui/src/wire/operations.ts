// Generated from crates/wire by `npm run wire`. Do not edit.

import type * as t from "./types";

/** Request and response of every operation. */
export interface Operations {
  /** The engine, and how many sessions are working or need the person. */
  getEngine: { request: t.Nothing; response: t.EngineInfo };
  /** Ends the engine; the sessions keep running or are stopped, as requested. */
  shutdownEngine: { request: t.Shutdown; response: t.Nothing };
  /** All projects. */
  listProjects: { request: t.Nothing; response: t.Project[] };
  /** Adds a repository as a project. */
  addProject: { request: t.AddProject; response: t.Project };
  /** Inspects a folder before it is added. */
  inspectFolder: { request: t.InspectFolder; response: t.FolderReport };
  /** One project. */
  getProject: { request: t.ProjectRef; response: t.Project };
  /** Changes a project: its name, its folder after a move, its trust, the approval of its set-up. */
  editProject: { request: t.EditProject; response: t.Project };
  /** Removes a project from the list. Refused while its sessions are running or have workspaces. */
  removeProject: { request: t.RemoveProject; response: t.Nothing };
  /** The branches that a session of the project can start from, newest commit first. */
  listBranches: { request: t.ProjectRef; response: t.Branch[] };
  /** Summaries of sessions, in the order of the sidebar (`?project=`, `?parent=`, `?archived=true`, `?ids=` for each that is wanted). */
  listSessions: { request: t.SessionFilter; response: t.SessionSummary[] };
  /** Starts a session; answers immediately, before its workspace exists. */
  createSession: { request: t.NewSession; response: t.Session };
  /** Starts a session for each of several issues; skips those that a session works on. */
  startIssues: { request: t.StartIssues; response: t.StartedIssue[] };
  /** Previews a new session without creating it. */
  previewSession: { request: t.NewSession; response: t.SpawnPreview };
  /** Stops sessions gracefully: one, a project's, or all. */
  stopSessions: { request: t.StopSessions; response: t.Ended };
  /** One session, with everything that is known of it. */
  getSession: { request: t.SessionRef; response: t.Session };
  /** The status of a session, with its reasons. */
  getStatus: { request: t.SessionRef; response: t.SessionStatus };
  /** Explains a session's status: the last facts, and what each changed. */
  explainSession: { request: t.ExplainSession; response: t.Explanation };
  /** What happened in a session, oldest first: prompts, tools, answers, questions, commits, checks, merges. */
  getStory: { request: t.GetStory; response: t.Story };
  /** Clears a session's status: it is unknown until its agent reports again. */
  clearStatus: { request: t.SessionRef; response: t.Session };
  /** The text of a session's terminal, its agent's last answer, or what it changed. */
  getOutput: { request: t.GetOutput; response: t.Output };
  /** The files that a session changed: since its base or its last turn, in a commit, or not committed. */
  listChanges: { request: t.ListChanges; response: t.ChangeList };
  /** What a session changed in one file, page by page; of a picture, the picture. */
  getChange: { request: t.GetChange; response: t.FileDiff };
  /** Discards what a session changed in one file, or one hunk of that; what the file contains is kept first. */
  discardChange: { request: t.DiscardChange; response: t.Discarded };
  /** Undoes a discarded change. */
  undoDiscard: { request: t.UndoDiscard; response: t.Undone };
  /** Ends a review of a session's work: approves exactly one commit, or requests changes in one message to its agent. */
  reviewSession: { request: t.ReviewSession; response: t.Session };
  /** Opens a session's workspace, or a line of a file in it, in the person's editor. */
  openInEditor: { request: t.OpenInEditor; response: t.OpenedInEditor };
  /** Queues a message for a session's agent; answers once it is delivered, or after the given time. */
  sendMessage: { request: t.SendMessage; response: t.MessageReceipt };
  /** The messages of a session: the outcome of the latest, then the queued ones. */
  listMessages: { request: t.SessionRef; response: t.Message[] };
  /** Changes a queued message: its text, its place, when it is delivered. Sends a message again that did not arrive. */
  editMessage: { request: t.EditMessage; response: t.Message };
  /** Removes a message from a session's queue. */
  deleteMessage: { request: t.MessageRef; response: t.Nothing };
  /** Answers the question that a session's agent asks. A conductor may do this if its project allows it. */
  answerQuestion: { request: t.AnswerQuestion; response: t.AnswerReceipt };
  /** Changes a session's title. */
  editSession: { request: t.EditSession; response: t.Session };
  /** Kills a session's whole process tree now. Its workspace stays. */
  killSession: { request: t.SessionRef; response: t.Session };
  /** Resumes an ended session; recreates its worktree if that was removed. */
  resumeSession: { request: t.ResumeSession; response: t.Session };
  /** Pauses a session: it gets no messages, no workers start below it, its turn is interrupted. */
  pauseSession: { request: t.PauseSession; response: t.Session };
  /** Continues a session that is paused, waits for a usage limit, or makes no progress with its conductor: now, or when the limit ends. */
  goOnSession: { request: t.GoOnSession; response: t.Session };
  /** Snoozes what a session needs the person for, until a time, or ends the snooze. */
  snoozeSession: { request: t.SnoozeSession; response: t.Session };
  /** What is left of an ended session: its conversation, its directory. */
  getRestore: { request: t.SessionRef; response: t.RestoreState };
  /** Ends a session's agent gracefully and resumes it in the same conversation. */
  restartSession: { request: t.RestartSession; response: t.Session };
  /** Starts a new session from a copy of a session's conversation, in its own worktree. */
  forkSession: { request: t.ForkSession; response: t.Session };
  /** Switches a session to another agent, which gets the worktree and a written summary. */
  handOverSession: { request: t.HandOverSession; response: t.Session };
  /** Archives an ended session, with the ended workers below it. Its worktree stays. */
  archiveSession: { request: t.OffTheList; response: t.Session };
  /** Restores an archived session to the list, with the workers that were archived with it. */
  unarchiveSession: { request: t.SessionRef; response: t.Session };
  /** Retries a failed set-up, or starts the agent without it. */
  continueSetup: { request: t.ContinueSetup; response: t.Session };
  /** The work in a session's workspace that is not saved elsewhere. */
  getWorkspace: { request: t.SessionRef; response: t.WorkspaceState };
  /** Removes a session's workspace, after saving the work in it. */
  removeWorkspace: { request: t.RemoveWorkspace; response: t.Removal };
  /** Measures or deletes the build output in a session's worktree. */
  clearBuildOutput: { request: t.ClearBuildOutput; response: t.BuildOutput };
  /** Removes the worktrees of sessions that are over, after saving them, and archives the sessions; or says which it would be. */
  cleanUp: { request: t.CleanUp; response: t.CleanupTree[] };
  /** Saved work of a session, newest first. */
  listBackups: { request: t.SessionRef; response: t.Backup[] };
  /** Recreates a removed worktree, with the saved work. */
  restoreWork: { request: t.RestoreWork; response: t.Session };
  /** Runs the project's checks on the newest commit of a session; answers before they end. */
  checkSession: { request: t.SessionRef; response: t.Session };
  /** Cancels the run of a session's checks that waits or is under way. */
  cancelChecks: { request: t.SessionRef; response: t.Session };
  /** Sends the failures of a session's last checks to its agent. */
  sendFailures: { request: t.SessionRef; response: t.Session };
  /** Merges a session's work into its project's default branch, after the project's checks; answers before it ends. */
  mergeSession: { request: t.MergeSession; response: t.Session };
  /** Cancels the merge of a session's work that waits or is under way. */
  cancelMerge: { request: t.SessionRef; response: t.Session };
  /** Changes how soon a session's work lands that waits in a merge queue. */
  prioritizeMerge: { request: t.PrioritizeMerge; response: t.Session };
  /** The merge queues: what waits to land, in this order, and why. */
  listMergeQueues: { request: t.ListMergeQueues; response: t.MergeQueue[] };
  /** Pauses the merge queues of a project, or lets them continue. */
  changeMergeQueue: { request: t.ChangeMergeQueue; response: t.MergeQueue[] };
  /** Proposes a plan: tasks with what they need. Nothing runs until it is run. */
  proposePlan: { request: t.ProposePlan; response: t.Plan };
  /** Makes a plan of a goal alone: by the person's planner, or by a session that hands it in later. Nothing runs until it is run. */
  planGoal: { request: t.PlanGoal; response: t.PlannedGoal };
  /** Runs a plan: what needs nothing starts, the rest when what it needs is done. */
  runPlan: { request: t.PlanRef; response: t.Plan };
  /** The plans, newest first; shortened: their tasks have no description, skills and checks. */
  listPlans: { request: t.ListPlans; response: t.Plan[] };
  /** One plan: its tasks, who does them, and what waits for what. */
  planStatus: { request: t.PlanRef; response: t.Plan };
  /** The stops of a plan's workers: what the newest session of each waited for, or ended with; oldest first. */
  planStops: { request: t.PlanRef; response: t.WorkerEvent[] };
  /** Pauses, resumes or cancels a plan; retries, skips or edits its tasks. */
  changePlan: { request: t.ChangePlan; response: t.Plan };
  /** Merges the work of a plan's workers that are done, each after what it needs; answers before the merges end. */
  mergePlan: { request: t.MergePlan; response: t.PlanMerge };
  /** Lets workers fix what the project's checks find red on its default branch; answers before it ends. */
  startFix: { request: t.StartFix; response: t.FixRun };
  /** The last runs of `fix`, or one of them: what is red, and who fixes it. */
  fixStatus: { request: t.GetFixes; response: t.FixRun[] };
  /** Cancels a run of `fix`, and ends its workers. */
  cancelFix: { request: t.FixRef; response: t.FixRun };
  /** The whole output of one check of a session's last run. */
  getCheckOutput: { request: t.GetCheckOutput; response: t.CheckOutput };
  /** The pull requests of a session's work, with their checks and reviews, as they were last seen. */
  listPulls: { request: t.SessionRef; response: t.PullDetail[] };
  /** Pushes the branch of a session and opens a pull request for it, unless there is one. */
  createPull: { request: t.CreatePull; response: t.PullOpened };
  /** Changes a pull request of a session at its forge. */
  changePull: { request: t.ChangePull; response: t.PullChanged };
  /** What is done by itself about a project's sessions and their pull requests. */
  listReactions: { request: t.ProjectRef; response: t.ReactionRule[] };
  /** What the rules of a project would do about an event. Nothing is done. */
  simulateReactions: { request: t.SimulateReactions; response: t.SimulatedReaction[] };
  /** What each rule does about a session and its pull requests, and why. */
  explainReactions: { request: t.SessionRef; response: t.Reactions[] };
  /** What was done by itself about a session and its pull requests. */
  reactionHistory: { request: t.SessionRef; response: t.ReactionDone[] };
  /** Lets a rule act for a session now, skips what is new, or switches the rule off or on. */
  controlReaction: { request: t.ControlReaction; response: t.Reactions[] };
  /** Pauses or resumes what is done by itself about a session and its pull requests. */
  pauseReactions: { request: t.PauseReactions; response: t.Session };
  /** The forges that projects have remotes on, and whether they answer. */
  listForges: { request: t.Nothing; response: t.ForgeState[] };
  /** Looks at the forges now, and answers when that is done. */
  lookAtForges: { request: t.Nothing; response: t.ForgeState[] };
  /** Opens a side shell in a session's workspace. */
  openShell: { request: t.SessionRef; response: t.Shell };
  /** Ends a side shell and the programs in it. Refused without `force` if a program is running in it. */
  closeShell: { request: t.CloseShell; response: t.Nothing };
  /** Removes an ended session without a workspace from the list. */
  forgetSession: { request: t.OffTheList; response: t.Nothing };
  /** The workers directly below a session. */
  listWorkers: { request: t.SessionRef; response: t.Session[] };
  /** Waits for something to happen among a session's workers. */
  waitForWorkers: { request: t.WaitForWorkers; response: t.WaitReport };
  /** Reports that a session's agent received the list of its tools; called by the MCP bridge. */
  toolsListed: { request: t.SessionRef; response: t.Nothing };
  /** Reports the result of a worker's task to its conductor. */
  reportResult: { request: t.ReportResult; response: t.Session };
  /** Asks a worker's conductor. The worker waits for the answer once its turn ends. */
  askConductor: { request: t.AskConductor; response: t.Session };
  /** Kills all workers below a session, at every level. */
  killWorkers: { request: t.SessionRef; response: t.Ended };
  /** Searches conversations, and the screens of idle and ended sessions. */
  search: { request: t.Search; response: t.Hit[] };
  /** Finds files by a few letters of their paths, in a session's workspace or a project's repository. */
  findFiles: { request: t.FindFiles; response: t.FoundFiles };
  /** Keeps a pasted or dropped file, so that an agent can read it by its path. */
  attachFile: { request: t.Attach; response: t.Attached };
  /** Which session worked, waited or was held back when, in the last hours. */
  getTimeline: { request: t.GetTimeline; response: t.Timeline };
  /** What agents used, in tokens and dollars: by day, model, session and project. */
  getUsage: { request: t.GetUsage; response: t.UsageReport };
  /** All agents, and whether they are installed. */
  listAgents: { request: t.Nothing; response: t.Agent[] };
  /** Details of an agent: how it is started, and how its title and screen are read. */
  getAgent: { request: t.AgentRef; response: t.AgentDetail };
  /** Processes that still run although their session has ended (Linux; elsewhere none are found). */
  listOrphans: { request: t.Nothing; response: t.Orphan[] };
  /** Ends such processes, of one session or of all. */
  endOrphans: { request: t.EndOrphans; response: t.Orphan[] };
  /** Notices, newest first, at most 200. */
  listNotices: { request: t.Nothing; response: t.Notice[] };
  /** Marks notices as read. */
  readNotices: { request: t.ReadNotices; response: t.Nothing };
  /** Raises a notice for the person. A session's token does this for its own session, a few times a minute. */
  addAttention: { request: t.AddAttention; response: t.Nothing };
  /** The notifiers, and what became of the last notices for each. */
  listNotifiers: { request: t.Nothing; response: t.NotifierState[] };
  /** Sends a test through a notifier, and answers what became of it. */
  testNotifier: { request: t.NotifierRef; response: t.NotifierTested };
  /** Reports which session is in view in a focused window, at least twice a minute: notices about it are not sent out. */
  reportView: { request: t.ReportView; response: t.Nothing };
  /** The settings. */
  getSettings: { request: t.Nothing; response: t.Settings };
  /** Changes settings; the file keeps its comments and its order. */
  editSettings: { request: t.EditSettings; response: t.Settings };
  /** The preferences that the interface stores. */
  getPreferences: { request: t.Nothing; response: t.Preferences };
  /** Stores such preferences; others do not change. */
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
  startIssues: { name: "start_issues", method: "POST", path: "/api/sessions/issues", repeat: "keyed", invalidates: ["sessions"] },
  previewSession: { name: "preview_session", method: "POST", path: "/api/sessions/preview", repeat: "harmless", invalidates: [] },
  stopSessions: { name: "stop_sessions", method: "POST", path: "/api/sessions/stop", repeat: "keyed", invalidates: ["sessions"] },
  getSession: { name: "get_session", method: "GET", path: "/api/sessions/{id}", repeat: "harmless", invalidates: [] },
  getStatus: { name: "get_status", method: "GET", path: "/api/sessions/{id}/status", repeat: "harmless", invalidates: [] },
  explainSession: { name: "explain_session", method: "GET", path: "/api/sessions/{id}/explain", repeat: "harmless", invalidates: [] },
  getStory: { name: "get_story", method: "GET", path: "/api/sessions/{id}/story", repeat: "harmless", invalidates: [] },
  clearStatus: { name: "clear_status", method: "POST", path: "/api/sessions/{id}/clear-status", repeat: "keyed", invalidates: ["session"] },
  getOutput: { name: "get_output", method: "GET", path: "/api/sessions/{id}/output", repeat: "harmless", invalidates: [] },
  listChanges: { name: "list_changes", method: "GET", path: "/api/sessions/{id}/changes", repeat: "harmless", invalidates: [] },
  getChange: { name: "get_change", method: "GET", path: "/api/sessions/{id}/changes/file", repeat: "harmless", invalidates: [] },
  discardChange: { name: "discard_change", method: "POST", path: "/api/sessions/{id}/changes/discard", repeat: "keyed", invalidates: ["session"] },
  undoDiscard: { name: "undo_discard", method: "POST", path: "/api/sessions/{id}/changes/undo", repeat: "keyed", invalidates: ["session"] },
  reviewSession: { name: "review_session", method: "POST", path: "/api/sessions/{id}/review", repeat: "keyed", invalidates: ["messages","session"] },
  openInEditor: { name: "open_in_editor", method: "POST", path: "/api/sessions/{id}/open", repeat: "harmless", invalidates: [] },
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
  snoozeSession: { name: "snooze_session", method: "POST", path: "/api/sessions/{id}/snooze", repeat: "keyed", invalidates: ["session"] },
  getRestore: { name: "get_restore", method: "GET", path: "/api/sessions/{id}/restore", repeat: "harmless", invalidates: [] },
  restartSession: { name: "restart_session", method: "POST", path: "/api/sessions/{id}/restart", repeat: "keyed", invalidates: ["session"] },
  forkSession: { name: "fork_session", method: "POST", path: "/api/sessions/{id}/fork", repeat: "keyed", invalidates: ["session"] },
  handOverSession: { name: "hand_over_session", method: "POST", path: "/api/sessions/{id}/hand-over", repeat: "keyed", invalidates: ["session"] },
  archiveSession: { name: "archive_session", method: "POST", path: "/api/sessions/{id}/archive", repeat: "keyed", invalidates: ["session"] },
  unarchiveSession: { name: "unarchive_session", method: "POST", path: "/api/sessions/{id}/unarchive", repeat: "keyed", invalidates: ["session"] },
  continueSetup: { name: "continue_setup", method: "POST", path: "/api/sessions/{id}/setup", repeat: "keyed", invalidates: ["session"] },
  getWorkspace: { name: "get_workspace", method: "GET", path: "/api/sessions/{id}/workspace", repeat: "harmless", invalidates: [] },
  removeWorkspace: { name: "remove_workspace", method: "DELETE", path: "/api/sessions/{id}/workspace", repeat: "keyed", invalidates: ["session"] },
  clearBuildOutput: { name: "clear_build_output", method: "POST", path: "/api/sessions/{id}/build-output", repeat: "harmless", invalidates: [] },
  cleanUp: { name: "clean_up", method: "POST", path: "/api/cleanup", repeat: "keyed", invalidates: ["sessions"] },
  listBackups: { name: "list_backups", method: "GET", path: "/api/sessions/{id}/backups", repeat: "harmless", invalidates: [] },
  restoreWork: { name: "restore_work", method: "POST", path: "/api/sessions/{id}/restore-work", repeat: "keyed", invalidates: ["session"] },
  checkSession: { name: "check_session", method: "POST", path: "/api/sessions/{id}/checks", repeat: "keyed", invalidates: ["session"] },
  cancelChecks: { name: "cancel_checks", method: "DELETE", path: "/api/sessions/{id}/checks", repeat: "keyed", invalidates: ["session"] },
  sendFailures: { name: "send_failures", method: "POST", path: "/api/sessions/{id}/checks/send", repeat: "keyed", invalidates: ["session","messages"] },
  mergeSession: { name: "merge_session", method: "POST", path: "/api/sessions/{id}/merge", repeat: "keyed", invalidates: ["session"] },
  cancelMerge: { name: "cancel_merge", method: "DELETE", path: "/api/sessions/{id}/merge", repeat: "keyed", invalidates: ["session"] },
  prioritizeMerge: { name: "prioritize_merge", method: "POST", path: "/api/sessions/{id}/merge/priority", repeat: "keyed", invalidates: ["sessions"] },
  listMergeQueues: { name: "list_merge_queues", method: "GET", path: "/api/queues", repeat: "harmless", invalidates: [] },
  changeMergeQueue: { name: "change_merge_queue", method: "POST", path: "/api/projects/{id}/queue", repeat: "keyed", invalidates: ["sessions"] },
  proposePlan: { name: "propose_plan", method: "POST", path: "/api/plans", repeat: "keyed", invalidates: [] },
  planGoal: { name: "plan_goal", method: "POST", path: "/api/plans/goal", repeat: "keyed", invalidates: ["sessions"] },
  runPlan: { name: "run_plan", method: "POST", path: "/api/plans/{id}/run", repeat: "keyed", invalidates: ["sessions"] },
  listPlans: { name: "list_plans", method: "GET", path: "/api/plans", repeat: "harmless", invalidates: [] },
  planStatus: { name: "plan_status", method: "GET", path: "/api/plans/{id}", repeat: "harmless", invalidates: [] },
  planStops: { name: "plan_stops", method: "GET", path: "/api/plans/{id}/stops", repeat: "harmless", invalidates: [] },
  changePlan: { name: "change_plan", method: "POST", path: "/api/plans/{id}/change", repeat: "keyed", invalidates: ["sessions"] },
  mergePlan: { name: "merge_plan", method: "POST", path: "/api/plans/{id}/merge", repeat: "keyed", invalidates: ["sessions"] },
  startFix: { name: "start_fix", method: "POST", path: "/api/fixes", repeat: "keyed", invalidates: ["projects"] },
  fixStatus: { name: "fix_status", method: "GET", path: "/api/fixes", repeat: "harmless", invalidates: [] },
  cancelFix: { name: "cancel_fix", method: "DELETE", path: "/api/fixes/{id}", repeat: "keyed", invalidates: ["projects"] },
  getCheckOutput: { name: "get_check_output", method: "GET", path: "/api/sessions/{id}/checks/output", repeat: "harmless", invalidates: [] },
  listPulls: { name: "list_pulls", method: "GET", path: "/api/sessions/{id}/pulls", repeat: "harmless", invalidates: [] },
  createPull: { name: "create_pull", method: "POST", path: "/api/sessions/{id}/pulls", repeat: "keyed", invalidates: ["session"] },
  changePull: { name: "change_pull", method: "POST", path: "/api/sessions/{id}/pulls/change", repeat: "keyed", invalidates: ["session"] },
  listReactions: { name: "list_reactions", method: "GET", path: "/api/projects/{id}/reactions", repeat: "harmless", invalidates: [] },
  simulateReactions: { name: "simulate_reactions", method: "POST", path: "/api/projects/{id}/reactions/simulate", repeat: "harmless", invalidates: [] },
  explainReactions: { name: "explain_reactions", method: "GET", path: "/api/sessions/{id}/reactions/explain", repeat: "harmless", invalidates: [] },
  reactionHistory: { name: "reaction_history", method: "GET", path: "/api/sessions/{id}/reactions", repeat: "harmless", invalidates: [] },
  controlReaction: { name: "control_reaction", method: "POST", path: "/api/sessions/{id}/reactions/control", repeat: "keyed", invalidates: ["session","messages"] },
  pauseReactions: { name: "pause_reactions", method: "POST", path: "/api/sessions/{id}/reactions/pause", repeat: "keyed", invalidates: ["session"] },
  listForges: { name: "list_forges", method: "GET", path: "/api/forges", repeat: "harmless", invalidates: [] },
  lookAtForges: { name: "look_at_forges", method: "POST", path: "/api/forges/look", repeat: "harmless", invalidates: [] },
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
  findFiles: { name: "find_files", method: "GET", path: "/api/files", repeat: "harmless", invalidates: [] },
  attachFile: { name: "attach_file", method: "POST", path: "/api/attachments", repeat: "harmless", invalidates: [] },
  getTimeline: { name: "get_timeline", method: "GET", path: "/api/timeline", repeat: "harmless", invalidates: [] },
  getUsage: { name: "get_usage", method: "GET", path: "/api/usage", repeat: "harmless", invalidates: [] },
  listAgents: { name: "list_agents", method: "GET", path: "/api/agents", repeat: "harmless", invalidates: [] },
  getAgent: { name: "get_agent", method: "GET", path: "/api/agents/{id}", repeat: "harmless", invalidates: [] },
  listOrphans: { name: "list_orphans", method: "GET", path: "/api/orphans", repeat: "harmless", invalidates: [] },
  endOrphans: { name: "end_orphans", method: "POST", path: "/api/orphans/end", repeat: "keyed", invalidates: [] },
  listNotices: { name: "list_notices", method: "GET", path: "/api/notices", repeat: "harmless", invalidates: [] },
  readNotices: { name: "read_notices", method: "POST", path: "/api/notices/read", repeat: "keyed", invalidates: ["notices"] },
  addAttention: { name: "add_attention", method: "POST", path: "/api/attention", repeat: "keyed", invalidates: ["notices"] },
  listNotifiers: { name: "list_notifiers", method: "GET", path: "/api/notifiers", repeat: "harmless", invalidates: [] },
  testNotifier: { name: "test_notifier", method: "POST", path: "/api/notifiers/{name}/test", repeat: "keyed", invalidates: ["notifiers"] },
  reportView: { name: "report_view", method: "POST", path: "/api/view", repeat: "harmless", invalidates: [] },
  getSettings: { name: "get_settings", method: "GET", path: "/api/settings", repeat: "harmless", invalidates: [] },
  editSettings: { name: "edit_settings", method: "PATCH", path: "/api/settings", repeat: "keyed", invalidates: ["settings"] },
  getPreferences: { name: "get_preferences", method: "GET", path: "/api/preferences", repeat: "harmless", invalidates: [] },
  keepPreferences: { name: "keep_preferences", method: "PATCH", path: "/api/preferences", repeat: "harmless", invalidates: [] },
} as const satisfies Record<keyof Operations, { name: string; method: string; path: string; repeat: "harmless" | "keyed" | "never"; invalidates: readonly t.Topic[] }>;
