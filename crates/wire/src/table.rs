//! The table: every operation, once.
//!
//! A face never names an operation twice: it walks [`OPERATIONS`] and calls [`call`]. Path
//! parameters in braces are fields of the request.

use crate::caller::{Caller, Scope};
use crate::error::ApiError;
use crate::{
    agent, engine, explain, message, notice, orphan, project, request, restore, search, session, settings,
    shell, spawn, usage, worker, workspace,
};
use async_trait::async_trait;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use ts_rs::TS;

/// What a reader may have to ask for again after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Topic {
    /// The list of projects and each of them.
    Projects,
    /// The list of sessions and each of them.
    Sessions,
    /// The messages of sessions.
    Messages,
    /// The notices.
    Notices,
    /// The settings.
    Settings,
    /// Which agents there are.
    Agents,
    /// What the engine says of itself.
    Engine,
}

/// One row of the table.
pub struct Operation {
    /// Its name in Rust and in [`call`]: `list_sessions`.
    pub name: &'static str,
    /// What it does, for OpenAPI and the CLI.
    pub doc: &'static str,
    /// `GET`, `POST`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// Path with parameters in braces.
    pub path: &'static str,
    /// Who may call it.
    pub scope: Scope,
    /// What is out of date after it.
    pub invalidates: &'static [Topic],
    /// JSON schema of the request.
    pub request: fn(&mut SchemaGenerator) -> Schema,
    /// JSON schema of the response.
    pub response: fn(&mut SchemaGenerator) -> Schema,
    /// TypeScript name of the request type.
    pub request_ts: fn(&ts_rs::Config) -> String,
    /// TypeScript name of the response type.
    pub response_ts: fn(&ts_rs::Config) -> String,
}

fn parse<T: DeserializeOwned>(arguments: Value) -> Result<T, ApiError> {
    let arguments = if arguments.is_null() {
        Value::Object(Default::default())
    } else {
        arguments
    };
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let place = error.path().to_string();
        let place = if place == "." {
            String::new()
        } else {
            format!("{place}: ")
        };
        ApiError::invalid(format!("{place}{}", error.inner()))
    })
}

macro_rules! operations {
    ($($(#[doc = $doc:literal])+ $method:ident $path:literal $scope:ident
        fn $name:ident($request:ty) -> $response:ty, [$($topic:ident),*];)+) => {
        /// What the engine does for every face. One method per row of the table.
        #[async_trait]
        pub trait Operations: Send + Sync {
            $($(#[doc = $doc])+
            async fn $name(&self, caller: &Caller, request: $request) -> Result<$response, ApiError>;)+
        }

        /// Every operation.
        pub const OPERATIONS: &[Operation] = &[$(Operation {
            name: stringify!($name),
            doc: concat!($($doc, "\n"),+),
            method: stringify!($method),
            path: $path,
            scope: Scope::$scope,
            invalidates: &[$(Topic::$topic),*],
            request: |generator| generator.subschema_for::<$request>(),
            response: |generator| generator.subschema_for::<$response>(),
            request_ts: <$request as TS>::name,
            response_ts: <$response as TS>::name,
        }),+];

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
            let row = OPERATIONS.iter().find(|row| row.name == name);
            let row = row.ok_or_else(|| ApiError::not_found("operation", name))?;
            if row.scope == Scope::Owner && *caller != Caller::Owner {
                return Err(ApiError::new(
                    crate::Code::Forbidden,
                    format!("this is for the person, not for a session's token: {}", row.doc.trim()),
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
    /// What the engine is, and how many sessions work or need the person.
    GET "/api/engine" Owner
    fn get_engine(request::Nothing) -> engine::EngineInfo, [];
    /// Ends the engine; the sessions go on or are stopped, as asked.
    POST "/api/engine/shutdown" Owner
    fn shutdown_engine(engine::Shutdown) -> request::Nothing, [Engine];

    /// All projects.
    GET "/api/projects" Owner
    fn list_projects(request::Nothing) -> Vec<project::Project>, [];
    /// Adds a repository as a project.
    POST "/api/projects" Owner
    fn add_project(project::AddProject) -> project::Project, [Projects];
    /// Tells what a folder is before it is added.
    POST "/api/projects/inspect" Owner
    fn inspect_folder(project::InspectFolder) -> project::FolderReport, [];
    /// One project.
    GET "/api/projects/{id}" Owner
    fn get_project(request::ProjectRef) -> project::Project, [];
    /// Renames a project, answers its trust question, approves its set-up.
    PATCH "/api/projects/{id}" Owner
    fn edit_project(project::EditProject) -> project::Project, [Projects];
    /// Takes a project off the list. Refused while sessions of it live or have workspaces.
    DELETE "/api/projects/{id}" Owner
    fn remove_project(project::RemoveProject) -> request::Nothing, [Projects];
    /// The branches that a session of the project can start from, newest commit first.
    GET "/api/projects/{id}/branches" Owner
    fn list_branches(request::ProjectRef) -> Vec<project::Branch>, [];

    /// Sessions, in the order of the sidebar.
    GET "/api/sessions" Subtree
    fn list_sessions(session::SessionFilter) -> Vec<session::Session>, [];
    /// Asks for a session; answers at once, with its workspace still to be made.
    POST "/api/sessions" Subtree
    fn create_session(spawn::NewSession) -> session::Session, [Sessions];
    /// Tells what a new session would do, without doing it.
    POST "/api/sessions/preview" Owner
    fn preview_session(spawn::NewSession) -> spawn::SpawnPreview, [];
    /// Stops sessions gracefully: one, a project's, or all.
    POST "/api/sessions/stop" Owner
    fn stop_sessions(session::StopSessions) -> worker::Ended, [Sessions];
    /// One session.
    GET "/api/sessions/{id}" Subtree
    fn get_session(request::SessionRef) -> session::Session, [];
    /// How a session is, and why.
    GET "/api/sessions/{id}/status" Subtree
    fn get_status(request::SessionRef) -> session::SessionStatus, [];
    /// Why a session's status is what it is: the last facts, and what each did.
    GET "/api/sessions/{id}/explain" Subtree
    fn explain_session(explain::ExplainSession) -> explain::Explanation, [];
    /// Forgets what is known of a session's status: it is unknown until its agent tells more.
    POST "/api/sessions/{id}/clear-status" Owner
    fn clear_status(request::SessionRef) -> session::Session, [Sessions];
    /// The text of a session's terminal, its agent's last answer, or what it changed.
    GET "/api/sessions/{id}/output" Subtree
    fn get_output(session::GetOutput) -> session::Output, [];
    /// Puts a message for a session's agent into its queue; answers once it is delivered, or after the given time.
    POST "/api/sessions/{id}/message" Subtree
    fn send_message(message::SendMessage) -> message::MessageReceipt, [Messages, Sessions];
    /// The messages of a session: what became of the last ones, then those that wait.
    GET "/api/sessions/{id}/messages" Subtree
    fn list_messages(request::SessionRef) -> Vec<message::Message>, [];
    /// Changes a message that waits: its text, its place, when it is delivered. Sends one again that did not arrive.
    PATCH "/api/sessions/{id}/messages/{message}" Owner
    fn edit_message(message::EditMessage) -> message::Message, [Messages, Sessions];
    /// Takes a message out of a session's queue.
    DELETE "/api/sessions/{id}/messages/{message}" Owner
    fn delete_message(message::MessageRef) -> request::Nothing, [Messages, Sessions];
    /// Answers the question that a session's agent asks. A conductor may where its project allows it.
    POST "/api/sessions/{id}/answer" Subtree
    fn answer_question(session::AnswerQuestion) -> session::AnswerReceipt, [Sessions];
    /// Changes a session's title.
    PATCH "/api/sessions/{id}" Owner
    fn edit_session(session::EditSession) -> session::Session, [Sessions];
    /// Kills a session's whole process tree now. Its workspace stays.
    DELETE "/api/sessions/{id}" Subtree
    fn kill_session(request::SessionRef) -> session::Session, [Sessions];
    /// Starts an ended session again where it was; makes its worktree again where that was removed.
    POST "/api/sessions/{id}/resume" Owner
    fn resume_session(session::ResumeSession) -> session::Session, [Sessions];
    /// Holds a session back: it takes no messages, nothing starts below it, its turn is interrupted.
    POST "/api/sessions/{id}/pause" Owner
    fn pause_session(session::PauseSession) -> session::Session, [Sessions, Messages];
    /// Lets a session go on that is paused or waits for the end of a usage limit: now, or by itself then.
    POST "/api/sessions/{id}/go-on" Owner
    fn go_on_session(session::GoOnSession) -> session::Session, [Sessions, Messages];
    /// What an ended session still has: its conversation, its directory.
    GET "/api/sessions/{id}/restore" Owner
    fn get_restore(request::SessionRef) -> restore::RestoreState, [];
    /// Ends a session's agent gracefully and resumes it in the same conversation.
    POST "/api/sessions/{id}/restart" Owner
    fn restart_session(restore::RestartSession) -> session::Session, [Sessions];
    /// Starts a new session from another one's conversation, in a worktree of its own.
    POST "/api/sessions/{id}/fork" Owner
    fn fork_session(restore::ForkSession) -> session::Session, [Sessions];
    /// Gives a session's worktree to another agent, with a written summary.
    POST "/api/sessions/{id}/hand-over" Owner
    fn hand_over_session(restore::HandOverSession) -> session::Session, [Sessions];
    /// Puts an ended session away, with the ended workers below it. Its worktree stays.
    POST "/api/sessions/{id}/archive" Owner
    fn archive_session(request::OffTheList) -> session::Session, [Sessions];
    /// Puts an archived session on the list again, with what was archived below it.
    POST "/api/sessions/{id}/unarchive" Owner
    fn unarchive_session(request::SessionRef) -> session::Session, [Sessions];
    /// Runs a failed set-up again, or starts the agent all the same.
    POST "/api/sessions/{id}/setup" Owner
    fn continue_setup(session::ContinueSetup) -> session::Session, [Sessions];
    /// What a session's workspace holds that is not safe yet.
    GET "/api/sessions/{id}/workspace" Owner
    fn get_workspace(request::SessionRef) -> workspace::WorkspaceState, [];
    /// Removes a session's workspace, after saving what is in it.
    DELETE "/api/sessions/{id}/workspace" Subtree
    fn remove_workspace(workspace::RemoveWorkspace) -> workspace::Removal, [Sessions];
    /// Saved work of a session, newest first.
    GET "/api/sessions/{id}/backups" Owner
    fn list_backups(request::SessionRef) -> Vec<workspace::Backup>, [];
    /// Makes a removed worktree again, with the work that was saved.
    POST "/api/sessions/{id}/restore-work" Owner
    fn restore_work(workspace::RestoreWork) -> session::Session, [Sessions];
    /// Opens another shell in a session's workspace, beside its agent.
    POST "/api/sessions/{id}/shells" Owner
    fn open_shell(request::SessionRef) -> shell::Shell, [Sessions];
    /// Ends such a shell, and what runs in it. Refused without `force` where something does.
    DELETE "/api/sessions/{id}/shells/{shell}" Owner
    fn close_shell(shell::CloseShell) -> request::Nothing, [Sessions];
    /// Takes an ended session without a workspace off the list.
    POST "/api/sessions/{id}/forget" Owner
    fn forget_session(request::OffTheList) -> request::Nothing, [Sessions];

    /// The workers directly below a session.
    GET "/api/sessions/{id}/workers" Subtree
    fn list_workers(request::SessionRef) -> Vec<session::Session>, [];
    /// Waits for something to happen among a session's workers.
    POST "/api/sessions/{id}/workers/wait" Subtree
    fn wait_for_workers(worker::WaitForWorkers) -> worker::WaitReport, [];
    /// Says what came of a worker's task; its conductor is told.
    POST "/api/sessions/{id}/report" Subtree
    fn report_result(worker::ReportResult) -> session::Session, [Sessions];
    /// Asks a worker's conductor. The worker waits for the answer once its turn ends.
    POST "/api/sessions/{id}/ask" Subtree
    fn ask_conductor(worker::AskConductor) -> session::Session, [Sessions];
    /// Kills all workers below a session, at every level.
    POST "/api/sessions/{id}/workers/kill" Subtree
    fn kill_workers(request::SessionRef) -> worker::Ended, [Sessions];

    /// Finds words in what was said in sessions, and on the screens of those that rest or ended.
    GET "/api/search" Subtree
    fn search(search::Search) -> Vec<search::Hit>, [];

    /// What agents used, in tokens and dollars: by day, model, session and project.
    GET "/api/usage" Subtree
    fn get_usage(usage::GetUsage) -> usage::UsageReport, [];

    /// Which agents there are and whether they are installed.
    GET "/api/agents" Subtree
    fn list_agents(request::Nothing) -> Vec<agent::Agent>, [];
    /// What Downbeat knows of an agent: how it is started, what its title and screen say.
    GET "/api/agents/{id}" Owner
    fn get_agent(agent::AgentRef) -> agent::AgentDetail, [];

    /// Processes that run although their session is over (Linux; elsewhere none is found).
    GET "/api/orphans" Owner
    fn list_orphans(request::Nothing) -> Vec<orphan::Orphan>, [];
    /// Ends such processes: of one session, or all.
    POST "/api/orphans/end" Owner
    fn end_orphans(orphan::EndOrphans) -> Vec<orphan::Orphan>, [];

    /// Notices, newest first, at most 200.
    GET "/api/notices" Owner
    fn list_notices(request::Nothing) -> Vec<notice::Notice>, [];
    /// Marks notices as read.
    POST "/api/notices/read" Owner
    fn read_notices(notice::ReadNotices) -> request::Nothing, [Notices];

    /// The settings.
    GET "/api/settings" Owner
    fn get_settings(request::Nothing) -> settings::Settings, [];
    /// Changes settings, keeping comments and unknown order of the file.
    PATCH "/api/settings" Owner
    fn edit_settings(settings::EditSettings) -> settings::Settings, [Settings];
}
