//! The table: every operation, once.
//!
//! A face never names an operation: it walks [`OPERATIONS`] and calls [`call`], or asks through a
//! [`Client`], which has a method for each. Where a name has to be compared, it is one of [`names`].
//! Path parameters in braces are fields of the request.

use crate::caller::{Caller, Scope};
use crate::error::ApiError;
use crate::row::{Misfit, Operation, Pace, Repeat, parse};
use crate::topic::Topic;
use crate::{
    agent, change, check, cleanup, editor, engine, explain, file, fix, merge, merge_queue, message, notice,
    notifier, orphan, plan, plan_merge, preferences, project, pull, pull_request, reaction, report, request,
    restore, review, search, session, settings, shell, spawn, story, timeline, usage, worker, workspace,
};
use async_trait::async_trait;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::future::Future;
use ts_rs::TS;

/// The row of an operation.
#[must_use]
pub fn operation(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|row| row.name == name)
}

fn written<C: Client + ?Sized>(request: impl Serialize) -> Result<Value, C::Error> {
    serde_json::to_value(request).map_err(|error| C::misfit(Misfit::Request(error)))
}

fn read<C: Client + ?Sized, R: DeserializeOwned>(answer: Value) -> Result<R, C::Error> {
    serde_json::from_value(answer).map_err(|error| C::misfit(Misfit::Answer(error)))
}

macro_rules! pace {
    () => {
        Pace::AtOnce
    };
    ($pace:ident) => {
        Pace::$pace
    };
}

macro_rules! operations {
    ($($(#[doc = $doc:literal])+ $method:ident $path:literal $scope:ident $repeat:ident
        fn $name:ident($request:ty) -> $response:ty, [$($topic:ident),*] $(, $pace:ident)?;)+) => {
        /// What the engine does for every face. One method per row of the table.
        #[async_trait]
        pub trait Operations: Send + Sync {
            $($(#[doc = $doc])+
            async fn $name(&self, caller: &Caller, request: $request) -> Result<$response, ApiError>;)+
        }

        /// Asks an engine for what is in the table. One method per row, with the row's types.
        pub trait Client: Sync {
            /// Why there is no answer.
            type Error: Send;

            /// Sends a request for the operation of a row, and gets its answer. How often that is tried, and
            /// under which idempotency key, is the client's to say.
            fn call_json(
                &self,
                row: &'static Operation,
                request: Value,
            ) -> impl Future<Output = Result<Value, Self::Error>> + Send;

            /// The error for a request or an answer that does not fit.
            fn misfit(misfit: Misfit) -> Self::Error;

            $($(#[doc = $doc])+
            fn $name(
                &self,
                request: $request,
            ) -> impl Future<Output = Result<$response, Self::Error>> + Send {
                async move {
                    let answer = self.call_json(&rows::$name, written::<Self>(request)?).await?;
                    read::<Self, _>(answer)
                }
            })+
        }

        /// The rows, each called as its operation.
        #[expect(non_upper_case_globals, reason = "a row is called as its operation")]
        mod rows {
            use super::*;

            $(pub(super) const $name: Operation = Operation {
                name: names::$name,
                doc: concat!($($doc, "\n"),+),
                method: stringify!($method),
                path: $path,
                scope: Scope::$scope,
                repeat: Repeat::$repeat,
                pace: pace!($($pace)?),
                invalidates: &[$(Topic::$topic),*],
                request: |generator| generator.subschema_for::<$request>(),
                response: |generator| generator.subschema_for::<$response>(),
                request_ts: <$request as TS>::name,
                response_ts: <$response as TS>::name,
            };)+
        }

        /// The names of the operations, for whoever has to tell them apart.
        #[expect(non_upper_case_globals, reason = "the name of an operation is called as the operation")]
        pub mod names {
            $($(#[doc = $doc])+
            pub const $name: &str = stringify!($name);)+
        }

        /// Every operation.
        pub const OPERATIONS: &[Operation] = &[$(rows::$name),+];

        /// Runs the operation called `name`. This is the one router of every face.
        ///
        /// # Errors
        /// `not_found` for an unknown name, `forbidden` where `caller` may not call it, `invalid`
        /// for arguments that do not fit (naming the field), and what the operation answers.
        pub async fn call<H: Operations + ?Sized>(
            host: &H,
            caller: &Caller,
            name: &str,
            arguments: Value,
        ) -> Result<Value, ApiError> {
            let row = operation(name).ok_or_else(|| ApiError::not_found("operation", name))?;
            if row.scope == Scope::Owner && *caller != Caller::Owner {
                return Err(ApiError::new(
                    crate::Code::Forbidden,
                    format!("only the person can do this, not a session's token: {}", row.doc.trim()),
                ));
            }
            match name {
                $(stringify!($name) => {
                    let reply = host.$name(caller, parse(arguments)?).await?;
                    serde_json::to_value(reply).map_err(|e| ApiError::failed("could not write the answer", e))
                })+
                _ => Err(ApiError::not_found("operation", name)),
            }
        }
    };
}

operations! {
    /// The engine, and how many sessions are working or need the person.
    GET "/api/engine" Owner Harmless
    fn get_engine(request::Nothing) -> engine::EngineInfo, [];
    /// Ends the engine; the sessions keep running or are stopped, as requested.
    POST "/api/engine/shutdown" Owner Never
    fn shutdown_engine(engine::Shutdown) -> request::Nothing, [Engine];

    /// All projects.
    GET "/api/projects" Owner Harmless
    fn list_projects(request::Nothing) -> Vec<project::Project>, [];
    /// Adds a repository as a project.
    POST "/api/projects" Owner Keyed
    fn add_project(project::AddProject) -> project::Project, [Projects];
    /// Inspects a folder before it is added.
    POST "/api/projects/inspect" Owner Harmless
    fn inspect_folder(project::InspectFolder) -> project::FolderReport, [];
    /// One project.
    GET "/api/projects/{id}" Owner Harmless
    fn get_project(request::ProjectRef) -> project::Project, [];
    /// Changes a project: its name, its folder after a move, its trust, the approval of its set-up.
    PATCH "/api/projects/{id}" Owner Keyed
    fn edit_project(project::EditProject) -> project::Project, [Projects];
    /// Removes a project from the list. Refused while its sessions are running or have workspaces.
    DELETE "/api/projects/{id}" Owner Keyed
    fn remove_project(project::RemoveProject) -> request::Nothing, [Projects];
    /// The branches that a session of the project can start from, newest commit first.
    GET "/api/projects/{id}/branches" Owner Harmless
    fn list_branches(request::ProjectRef) -> Vec<project::Branch>, [];

    /// Summaries of sessions, in the order of the sidebar (`?project=`, `?parent=`, `?archived=true`, `?ids=` for each that is wanted).
    GET "/api/sessions" Subtree Harmless
    fn list_sessions(session::SessionFilter) -> Vec<session::SessionSummary>, [];
    /// Starts a session; answers immediately, before its workspace exists.
    POST "/api/sessions" Subtree Keyed
    fn create_session(spawn::NewSession) -> session::Session, [Session];
    /// Starts a session for each of several issues; skips those that a session works on.
    POST "/api/sessions/issues" Subtree Keyed
    fn start_issues(spawn::StartIssues) -> Vec<spawn::StartedIssue>, [Sessions];
    /// Previews a new session without creating it.
    POST "/api/sessions/preview" Owner Harmless
    fn preview_session(spawn::NewSession) -> spawn::SpawnPreview, [];
    /// Stops sessions gracefully: one, a project's, or all.
    POST "/api/sessions/stop" Owner Keyed
    fn stop_sessions(session::StopSessions) -> worker::Ended, [Sessions];
    /// One session, with everything that is known of it.
    GET "/api/sessions/{id}" Subtree Harmless
    fn get_session(request::SessionRef) -> session::Session, [];
    /// The status of a session, with its reasons.
    GET "/api/sessions/{id}/status" Subtree Harmless
    fn get_status(request::SessionRef) -> session::SessionStatus, [];
    /// Explains a session's status: the last facts, and what each changed.
    GET "/api/sessions/{id}/explain" Subtree Harmless
    fn explain_session(explain::ExplainSession) -> explain::Explanation, [];
    /// What happened in a session, oldest first: prompts, tools, answers, questions, commits, checks, merges.
    GET "/api/sessions/{id}/story" Subtree Harmless
    fn get_story(story::GetStory) -> story::Story, [];
    /// Clears a session's status: it is unknown until its agent reports again.
    POST "/api/sessions/{id}/clear-status" Owner Keyed
    fn clear_status(request::SessionRef) -> session::Session, [Session];
    /// The text of a session's terminal, its agent's last answer, or what it changed.
    GET "/api/sessions/{id}/output" Subtree Harmless
    fn get_output(session::GetOutput) -> session::Output, [];
    /// The files that a session changed: since its base or its last turn, in a commit, or not committed.
    GET "/api/sessions/{id}/changes" Subtree Harmless
    fn list_changes(change::ListChanges) -> change::ChangeList, [];
    /// What a session changed in one file, page by page; of a picture, the picture.
    GET "/api/sessions/{id}/changes/file" Subtree Harmless
    fn get_change(change::GetChange) -> change::FileDiff, [];
    /// Discards what a session changed in one file, or one hunk of that; what the file contains is kept first.
    POST "/api/sessions/{id}/changes/discard" Owner Keyed
    fn discard_change(change::DiscardChange) -> change::Discarded, [Session];
    /// Undoes a discarded change.
    POST "/api/sessions/{id}/changes/undo" Owner Keyed
    fn undo_discard(change::UndoDiscard) -> change::Undone, [Session];
    /// Ends a review of a session's work: approves exactly one commit, or requests changes in one message to its agent.
    POST "/api/sessions/{id}/review" Subtree Keyed
    fn review_session(review::ReviewSession) -> session::Session, [Messages, Session];
    /// Opens a session's workspace, or a line of a file in it, in the person's editor.
    POST "/api/sessions/{id}/open" Owner Harmless
    fn open_in_editor(editor::OpenInEditor) -> editor::OpenedInEditor, [];
    /// Queues a message for a session's agent; answers once it is delivered, or after the given time.
    POST "/api/sessions/{id}/message" Subtree Keyed
    fn send_message(message::SendMessage) -> message::MessageReceipt, [Messages, Session];
    /// The messages of a session: the outcome of the latest, then the queued ones.
    GET "/api/sessions/{id}/messages" Subtree Harmless
    fn list_messages(request::SessionRef) -> Vec<message::Message>, [];
    /// Changes a queued message: its text, its place, when it is delivered. Sends a message again that did not arrive.
    PATCH "/api/sessions/{id}/messages/{message}" Owner Keyed
    fn edit_message(message::EditMessage) -> message::Message, [Messages, Session];
    /// Removes a message from a session's queue.
    DELETE "/api/sessions/{id}/messages/{message}" Owner Keyed
    fn delete_message(message::MessageRef) -> request::Nothing, [Messages, Session];
    /// Answers the question that a session's agent asks. A conductor may do this if its project allows it.
    POST "/api/sessions/{id}/answer" Subtree Keyed
    fn answer_question(session::AnswerQuestion) -> session::AnswerReceipt, [Session];
    /// Changes a session's title.
    PATCH "/api/sessions/{id}" Owner Keyed
    fn edit_session(session::EditSession) -> session::Session, [Session];
    /// Kills a session's whole process tree now. Its workspace stays.
    DELETE "/api/sessions/{id}" Subtree Keyed
    fn kill_session(request::SessionRef) -> session::Session, [Session];
    /// Resumes an ended session; recreates its worktree if that was removed.
    POST "/api/sessions/{id}/resume" Owner Keyed
    fn resume_session(session::ResumeSession) -> session::Session, [Session];
    /// Pauses a session: it gets no messages, no workers start below it, its turn is interrupted.
    POST "/api/sessions/{id}/pause" Owner Keyed
    fn pause_session(session::PauseSession) -> session::Session, [Session, Messages];
    /// Continues a session that is paused, waits for a usage limit, or makes no progress with its conductor: now, or when the limit ends.
    POST "/api/sessions/{id}/go-on" Owner Keyed
    fn go_on_session(session::GoOnSession) -> session::Session, [Session, Messages];
    /// Snoozes what a session needs the person for, until a time, or ends the snooze.
    POST "/api/sessions/{id}/snooze" Owner Keyed
    fn snooze_session(session::SnoozeSession) -> session::Session, [Session];
    /// What is left of an ended session: its conversation, its directory.
    GET "/api/sessions/{id}/restore" Owner Harmless
    fn get_restore(request::SessionRef) -> restore::RestoreState, [];
    /// Ends a session's agent gracefully and resumes it in the same conversation.
    POST "/api/sessions/{id}/restart" Owner Keyed
    fn restart_session(restore::RestartSession) -> session::Session, [Session];
    /// Starts a new session from a copy of a session's conversation, in its own worktree.
    POST "/api/sessions/{id}/fork" Owner Keyed
    fn fork_session(restore::ForkSession) -> session::Session, [Session];
    /// Switches a session to another agent, which gets the worktree and a written summary.
    POST "/api/sessions/{id}/hand-over" Owner Keyed
    fn hand_over_session(restore::HandOverSession) -> session::Session, [Session];
    /// Archives an ended session, with the ended workers below it. Its worktree stays.
    POST "/api/sessions/{id}/archive" Owner Keyed
    fn archive_session(request::OffTheList) -> session::Session, [Session];
    /// Restores an archived session to the list, with the workers that were archived with it.
    POST "/api/sessions/{id}/unarchive" Owner Keyed
    fn unarchive_session(request::SessionRef) -> session::Session, [Session];
    /// Retries a failed set-up, or starts the agent without it.
    POST "/api/sessions/{id}/setup" Owner Keyed
    fn continue_setup(session::ContinueSetup) -> session::Session, [Session];
    /// The work in a session's workspace that is not saved elsewhere.
    GET "/api/sessions/{id}/workspace" Owner Harmless
    fn get_workspace(request::SessionRef) -> workspace::WorkspaceState, [];
    /// Removes a session's workspace, after saving the work in it.
    DELETE "/api/sessions/{id}/workspace" Subtree Keyed
    fn remove_workspace(workspace::RemoveWorkspace) -> workspace::Removal, [Session];
    /// Measures or deletes the build output in a session's worktree.
    POST "/api/sessions/{id}/build-output" Owner Harmless
    fn clear_build_output(workspace::ClearBuildOutput) -> workspace::BuildOutput, [];
    /// Removes the worktrees of sessions that are over, after saving them, and archives the sessions; or says which it would be.
    POST "/api/cleanup" Owner Keyed
    fn clean_up(cleanup::CleanUp) -> Vec<cleanup::CleanupTree>, [Sessions];
    /// Saved work of a session, newest first.
    GET "/api/sessions/{id}/backups" Owner Harmless
    fn list_backups(request::SessionRef) -> Vec<workspace::Backup>, [];
    /// Recreates a removed worktree, with the saved work.
    POST "/api/sessions/{id}/restore-work" Owner Keyed
    fn restore_work(workspace::RestoreWork) -> session::Session, [Session];
    /// Runs the project's checks on the newest commit of a session; answers before they end.
    POST "/api/sessions/{id}/checks" Subtree Keyed
    fn check_session(request::SessionRef) -> session::Session, [Session];
    /// Cancels the run of a session's checks that waits or is under way.
    DELETE "/api/sessions/{id}/checks" Subtree Keyed
    fn cancel_checks(request::SessionRef) -> session::Session, [Session];
    /// Sends the failures of a session's last checks to its agent.
    POST "/api/sessions/{id}/checks/send" Subtree Keyed
    fn send_failures(request::SessionRef) -> session::Session, [Session, Messages];
    /// Merges a session's work into its project's default branch, after the project's checks; answers before it ends.
    POST "/api/sessions/{id}/merge" Owner Keyed
    fn merge_session(merge::MergeSession) -> session::Session, [Session];
    /// Cancels the merge of a session's work that waits or is under way.
    DELETE "/api/sessions/{id}/merge" Owner Keyed
    fn cancel_merge(request::SessionRef) -> session::Session, [Session];
    /// Changes how soon a session's work lands that waits in a merge queue.
    POST "/api/sessions/{id}/merge/priority" Owner Keyed
    fn prioritize_merge(merge_queue::PrioritizeMerge) -> session::Session, [Sessions];
    /// The merge queues: what waits to land, in this order, and why.
    GET "/api/queues" Subtree Harmless
    fn list_merge_queues(merge_queue::ListMergeQueues) -> Vec<merge_queue::MergeQueue>, [];
    /// Pauses the merge queues of a project, or lets them continue.
    POST "/api/projects/{id}/queue" Owner Keyed
    fn change_merge_queue(merge_queue::ChangeMergeQueue) -> Vec<merge_queue::MergeQueue>, [Sessions];
    /// Proposes a plan: tasks with what they need. Nothing runs until it is run.
    POST "/api/plans" Subtree Keyed
    fn propose_plan(plan::ProposePlan) -> plan::Plan, [];
    /// Makes a plan of a goal alone: by the person's planner, or by a session that hands it in later. Nothing runs until it is run.
    POST "/api/plans/goal" Owner Keyed
    fn plan_goal(plan::PlanGoal) -> plan::PlannedGoal, [Sessions], Waits;
    /// Runs a plan: what needs nothing starts, the rest when what it needs is done.
    POST "/api/plans/{id}/run" Subtree Keyed
    fn run_plan(plan::PlanRef) -> plan::Plan, [Sessions];
    /// The plans, newest first; shortened: their tasks have no description, skills and checks.
    GET "/api/plans" Subtree Harmless
    fn list_plans(plan::ListPlans) -> Vec<plan::Plan>, [];
    /// One plan: its tasks, who does them, and what waits for what.
    GET "/api/plans/{id}" Subtree Harmless
    fn plan_status(plan::PlanRef) -> plan::Plan, [];
    /// The stops of a plan's workers: what the newest session of each waited for, or ended with; oldest first.
    GET "/api/plans/{id}/stops" Subtree Harmless
    fn plan_stops(plan::PlanRef) -> Vec<worker::WorkerEvent>, [];
    /// Pauses, resumes or cancels a plan; retries, skips or edits its tasks.
    POST "/api/plans/{id}/change" Subtree Keyed
    fn change_plan(plan::ChangePlan) -> plan::Plan, [Sessions];
    /// Merges the work of a plan's workers that are done, each after what it needs; answers before the merges end.
    POST "/api/plans/{id}/merge" Owner Keyed
    fn merge_plan(plan_merge::MergePlan) -> plan_merge::PlanMerge, [Sessions];
    /// Lets workers fix what the project's checks find red on its default branch; answers before it ends.
    POST "/api/fixes" Subtree Keyed
    fn start_fix(fix::StartFix) -> fix::FixRun, [Projects];
    /// The last runs of `fix`, or one of them: what is red, and who fixes it.
    GET "/api/fixes" Subtree Harmless
    fn fix_status(fix::GetFixes) -> Vec<fix::FixRun>, [];
    /// Cancels a run of `fix`, and ends its workers.
    DELETE "/api/fixes/{id}" Subtree Keyed
    fn cancel_fix(fix::FixRef) -> fix::FixRun, [Projects];
    /// The whole output of one check of a session's last run.
    GET "/api/sessions/{id}/checks/output" Subtree Harmless
    fn get_check_output(check::GetCheckOutput) -> check::CheckOutput, [];
    /// The pull requests of a session's work, with their checks and reviews, as they were last seen.
    GET "/api/sessions/{id}/pulls" Subtree Harmless
    fn list_pulls(request::SessionRef) -> Vec<pull::PullDetail>, [];
    /// Pushes the branch of a session and opens a pull request for it, unless there is one.
    POST "/api/sessions/{id}/pulls" Subtree Keyed
    fn create_pull(pull_request::CreatePull) -> pull_request::PullOpened, [Session];
    /// Changes a pull request of a session at its forge.
    POST "/api/sessions/{id}/pulls/change" Subtree Keyed
    fn change_pull(pull_request::ChangePull) -> pull_request::PullChanged, [Session];
    /// What is done by itself about a project's sessions and their pull requests.
    GET "/api/projects/{id}/reactions" Owner Harmless
    fn list_reactions(request::ProjectRef) -> Vec<reaction::ReactionRule>, [];
    /// What the rules of a project would do about an event. Nothing is done.
    POST "/api/projects/{id}/reactions/simulate" Owner Harmless
    fn simulate_reactions(reaction::SimulateReactions) -> Vec<reaction::SimulatedReaction>, [];
    /// What each rule does about a session and its pull requests, and why.
    GET "/api/sessions/{id}/reactions/explain" Subtree Harmless
    fn explain_reactions(request::SessionRef) -> Vec<reaction::Reactions>, [];
    /// What was done by itself about a session and its pull requests.
    GET "/api/sessions/{id}/reactions" Subtree Harmless
    fn reaction_history(request::SessionRef) -> Vec<reaction::ReactionDone>, [];
    /// Lets a rule act for a session now, skips what is new, or switches the rule off or on.
    POST "/api/sessions/{id}/reactions/control" Owner Keyed
    fn control_reaction(reaction::ControlReaction) -> Vec<reaction::Reactions>, [Session, Messages];
    /// Pauses or resumes what is done by itself about a session and its pull requests.
    POST "/api/sessions/{id}/reactions/pause" Owner Keyed
    fn pause_reactions(reaction::PauseReactions) -> session::Session, [Session];
    /// The forges that projects have remotes on, and whether they answer.
    GET "/api/forges" Owner Harmless
    fn list_forges(request::Nothing) -> Vec<pull::ForgeState>, [];
    /// Looks at the forges now, and answers when that is done.
    POST "/api/forges/look" Owner Harmless
    fn look_at_forges(request::Nothing) -> Vec<pull::ForgeState>, [];
    /// Opens a side shell in a session's workspace.
    POST "/api/sessions/{id}/shells" Owner Keyed
    fn open_shell(request::SessionRef) -> shell::Shell, [Session];
    /// Ends a side shell and the programs in it. Refused without `force` if a program is running in it.
    DELETE "/api/sessions/{id}/shells/{shell}" Owner Keyed
    fn close_shell(shell::CloseShell) -> request::Nothing, [Session];
    /// Removes an ended session without a workspace from the list.
    POST "/api/sessions/{id}/forget" Owner Keyed
    fn forget_session(request::OffTheList) -> request::Nothing, [Session];

    /// The workers directly below a session.
    GET "/api/sessions/{id}/workers" Subtree Harmless
    fn list_workers(request::SessionRef) -> Vec<session::Session>, [];
    /// Waits for something to happen among a session's workers.
    POST "/api/sessions/{id}/workers/wait" Subtree Keyed
    fn wait_for_workers(worker::WaitForWorkers) -> worker::WaitReport, [], Waits;
    /// Reports that a session's agent received the list of its tools; called by the MCP bridge.
    POST "/api/sessions/{id}/tools-listed" Subtree Keyed
    fn tools_listed(request::SessionRef) -> request::Nothing, [Session];
    /// Reports the result of a worker's task to its conductor.
    POST "/api/sessions/{id}/report" Subtree Keyed
    fn report_result(report::ReportResult) -> session::Session, [Session];
    /// Asks a worker's conductor. The worker waits for the answer once its turn ends.
    POST "/api/sessions/{id}/ask" Subtree Keyed
    fn ask_conductor(worker::AskConductor) -> session::Session, [Session];
    /// Kills all workers below a session, at every level.
    POST "/api/sessions/{id}/workers/kill" Subtree Keyed
    fn kill_workers(request::SessionRef) -> worker::Ended, [Session];

    /// Searches conversations, and the screens of idle and ended sessions.
    GET "/api/search" Subtree Harmless
    fn search(search::Search) -> Vec<search::Hit>, [];

    /// Finds files by a few letters of their paths, in a session's workspace or a project's repository.
    GET "/api/files" Owner Harmless
    fn find_files(file::FindFiles) -> file::FoundFiles, [];
    /// Keeps a pasted or dropped file, so that an agent can read it by its path.
    POST "/api/attachments" Owner Harmless
    fn attach_file(file::Attach) -> file::Attached, [];

    /// Which session worked, waited or was held back when, in the last hours.
    GET "/api/timeline" Owner Harmless
    fn get_timeline(timeline::GetTimeline) -> timeline::Timeline, [];

    /// What agents used, in tokens and dollars: by day, model, session and project.
    GET "/api/usage" Subtree Harmless
    fn get_usage(usage::GetUsage) -> usage::UsageReport, [];

    /// All agents, and whether they are installed.
    GET "/api/agents" Subtree Harmless
    fn list_agents(request::Nothing) -> Vec<agent::Agent>, [];
    /// Details of an agent: how it is started, and how its title and screen are read.
    GET "/api/agents/{id}" Owner Harmless
    fn get_agent(agent::AgentRef) -> agent::AgentDetail, [];

    /// Processes that still run although their session has ended (Linux; elsewhere none are found).
    GET "/api/orphans" Owner Harmless
    fn list_orphans(request::Nothing) -> Vec<orphan::Orphan>, [];
    /// Ends such processes, of one session or of all.
    POST "/api/orphans/end" Owner Keyed
    fn end_orphans(orphan::EndOrphans) -> Vec<orphan::Orphan>, [];

    /// Notices, newest first, at most 200.
    GET "/api/notices" Owner Harmless
    fn list_notices(request::Nothing) -> Vec<notice::Notice>, [];
    /// Marks notices as read.
    POST "/api/notices/read" Owner Keyed
    fn read_notices(notice::ReadNotices) -> request::Nothing, [Notices];
    /// Raises a notice for the person. A session's token does this for its own session, a few times a minute.
    POST "/api/attention" Subtree Keyed
    fn add_attention(notice::AddAttention) -> request::Nothing, [Notices];
    /// The notifiers, and what became of the last notices for each.
    GET "/api/notifiers" Owner Harmless
    fn list_notifiers(request::Nothing) -> Vec<notifier::NotifierState>, [];
    /// Sends a test through a notifier, and answers what became of it.
    POST "/api/notifiers/{name}/test" Owner Keyed
    fn test_notifier(notifier::NotifierRef) -> notifier::NotifierTested, [Notifiers];
    /// Reports which session is in view in a focused window, at least twice a minute: notices about it are not sent out.
    POST "/api/view" Owner Harmless
    fn report_view(notifier::ReportView) -> request::Nothing, [];

    /// The settings.
    GET "/api/settings" Owner Harmless
    fn get_settings(request::Nothing) -> settings::Settings, [];
    /// Changes settings; the file keeps its comments and its order.
    PATCH "/api/settings" Owner Keyed
    fn edit_settings(settings::EditSettings) -> settings::Settings, [Settings];

    /// The preferences that the interface stores.
    GET "/api/preferences" Owner Harmless
    fn get_preferences(request::Nothing) -> preferences::Preferences, [];
    /// Stores such preferences; others do not change.
    PATCH "/api/preferences" Owner Harmless
    fn keep_preferences(preferences::Preferences) -> request::Nothing, [];
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
