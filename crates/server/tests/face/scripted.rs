//! A scripted host: it records each call and answers from a script. It is not an engine and knows no
//! sessions. Tests of the command line use it too, behind the real server.
#![allow(dead_code, reason = "each test binary uses its part")]

use async_trait::async_trait;
use downbeat_model::SessionId;
use downbeat_wire::event::StreamItem;
use downbeat_wire::*;
use futures_util::future::BoxFuture;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub const OWNER: &str = "owner-token";
pub const SESSION: &str = "session-token";
pub const SESSION_ID: &str = "s000000000001";

/// A call as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub caller: Caller,
    pub name: &'static str,
    pub arguments: Value,
}

/// An operation's name and the key that came with it.
pub type Keyed = (String, Option<String>);

type Answers = dyn Fn(Call) -> BoxFuture<'static, Result<Value, ApiError>> + Send + Sync;

/// The scripted host.
pub struct Scripted {
    answers: Box<Answers>,
    pub calls: Mutex<Vec<Call>>,
    pub keys: Mutex<Vec<Keyed>>,
    pub items: Mutex<Option<mpsc::Receiver<StreamItem>>>,
    pub since: Mutex<Vec<Option<i64>>>,
    pub links: Mutex<Vec<Result<TerminalLink, ApiError>>>,
    pub firsts: Mutex<Vec<FirstFrame>>,
    pub handed_over: CancellationToken,
}

impl Scripted {
    /// Builds a host that answers immediately with `answers`.
    pub fn new(answers: impl Fn(&Call) -> Result<Value, ApiError> + Send + Sync + 'static) -> Arc<Self> {
        Self::slow(move |call| {
            let answer = answers(&call);
            Box::pin(async { answer })
        })
    }

    /// Builds a host whose answers may take time.
    pub fn slow(
        answers: impl Fn(Call) -> BoxFuture<'static, Result<Value, ApiError>> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            answers: Box::new(answers),
            calls: Mutex::default(),
            keys: Mutex::default(),
            items: Mutex::default(),
            since: Mutex::default(),
            links: Mutex::default(),
            firsts: Mutex::default(),
            handed_over: CancellationToken::new(),
        })
    }

    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    async fn run<Q: Serialize, R: DeserializeOwned>(
        &self,
        caller: &Caller,
        name: &'static str,
        request: Q,
    ) -> Result<R, ApiError> {
        let call = Call {
            caller: caller.clone(),
            name,
            arguments: serde_json::to_value(request).unwrap(),
        };
        self.calls.lock().unwrap().push(call.clone());
        let answer = (self.answers)(call).await?;
        Ok(serde_json::from_value(answer).expect("the script fits the response type"))
    }
}

macro_rules! scripted {
    ($(fn $name:ident($request:ty) -> $response:ty;)+) => {
        #[async_trait]
        impl Operations for Scripted {
            $(async fn $name(&self, caller: &Caller, request: $request) -> Result<$response, ApiError> {
                self.run(caller, stringify!($name), request).await
            })+
        }
    };
}

scripted! {
    fn get_engine(request::Nothing) -> engine::EngineInfo;
    fn shutdown_engine(engine::Shutdown) -> request::Nothing;
    fn list_projects(request::Nothing) -> Vec<project::Project>;
    fn add_project(project::AddProject) -> project::Project;
    fn inspect_folder(project::InspectFolder) -> project::FolderReport;
    fn get_project(request::ProjectRef) -> project::Project;
    fn edit_project(project::EditProject) -> project::Project;
    fn remove_project(project::RemoveProject) -> request::Nothing;
    fn list_branches(request::ProjectRef) -> Vec<project::Branch>;
    fn list_sessions(session::SessionFilter) -> Vec<session::SessionSummary>;
    fn create_session(spawn::NewSession) -> session::Session;
    fn start_issues(spawn::StartIssues) -> Vec<spawn::StartedIssue>;
    fn preview_session(spawn::NewSession) -> spawn::SpawnPreview;
    fn stop_sessions(session::StopSessions) -> worker::Ended;
    fn get_session(request::SessionRef) -> session::Session;
    fn get_status(request::SessionRef) -> session::SessionStatus;
    fn get_story(story::GetStory) -> story::Story;
    fn explain_session(explain::ExplainSession) -> explain::Explanation;
    fn clear_status(request::SessionRef) -> session::Session;
    fn get_output(session::GetOutput) -> session::Output;
    fn list_changes(change::ListChanges) -> change::ChangeList;
    fn get_change(change::GetChange) -> change::FileDiff;
    fn discard_change(change::DiscardChange) -> change::Discarded;
    fn undo_discard(change::UndoDiscard) -> change::Undone;
    fn review_session(review::ReviewSession) -> session::Session;
    fn open_in_editor(editor::OpenInEditor) -> editor::OpenedInEditor;
    fn send_message(message::SendMessage) -> message::MessageReceipt;
    fn list_messages(request::SessionRef) -> Vec<message::Message>;
    fn edit_message(message::EditMessage) -> message::Message;
    fn delete_message(message::MessageRef) -> request::Nothing;
    fn get_agent(agent::AgentRef) -> agent::AgentDetail;
    fn answer_question(session::AnswerQuestion) -> session::AnswerReceipt;
    fn edit_session(session::EditSession) -> session::Session;
    fn kill_session(request::SessionRef) -> session::Session;
    fn resume_session(session::ResumeSession) -> session::Session;
    fn get_restore(request::SessionRef) -> restore::RestoreState;
    fn restart_session(restore::RestartSession) -> session::Session;
    fn fork_session(restore::ForkSession) -> session::Session;
    fn hand_over_session(restore::HandOverSession) -> session::Session;
    fn pause_session(session::PauseSession) -> session::Session;
    fn go_on_session(session::GoOnSession) -> session::Session;
    fn snooze_session(session::SnoozeSession) -> session::Session;
    fn archive_session(request::OffTheList) -> session::Session;
    fn unarchive_session(request::SessionRef) -> session::Session;
    fn continue_setup(session::ContinueSetup) -> session::Session;
    fn get_workspace(request::SessionRef) -> workspace::WorkspaceState;
    fn clear_build_output(workspace::ClearBuildOutput) -> workspace::BuildOutput;
    fn clean_up(cleanup::CleanUp) -> Vec<cleanup::CleanupTree>;
    fn remove_workspace(workspace::RemoveWorkspace) -> workspace::Removal;
    fn list_backups(request::SessionRef) -> Vec<workspace::Backup>;
    fn restore_work(workspace::RestoreWork) -> session::Session;
    fn open_shell(request::SessionRef) -> shell::Shell;
    fn close_shell(shell::CloseShell) -> request::Nothing;
    fn forget_session(request::OffTheList) -> request::Nothing;
    fn check_session(request::SessionRef) -> session::Session;
    fn cancel_checks(request::SessionRef) -> session::Session;
    fn send_failures(request::SessionRef) -> session::Session;
    fn merge_session(merge::MergeSession) -> session::Session;
    fn cancel_merge(request::SessionRef) -> session::Session;
    fn list_pulls(request::SessionRef) -> Vec<pull::PullDetail>;
    fn create_pull(pull_request::CreatePull) -> pull_request::PullOpened;
    fn change_pull(pull_request::ChangePull) -> pull_request::PullChanged;
    fn list_reactions(request::ProjectRef) -> Vec<reaction::ReactionRule>;
    fn explain_reactions(request::SessionRef) -> Vec<reaction::Reactions>;
    fn reaction_history(request::SessionRef) -> Vec<reaction::ReactionDone>;
    fn simulate_reactions(reaction::SimulateReactions) -> Vec<reaction::SimulatedReaction>;
    fn control_reaction(reaction::ControlReaction) -> Vec<reaction::Reactions>;
    fn pause_reactions(reaction::PauseReactions) -> session::Session;
    fn list_forges(request::Nothing) -> Vec<pull::ForgeState>;
    fn look_at_forges(request::Nothing) -> Vec<pull::ForgeState>;
    fn prioritize_merge(merge_queue::PrioritizeMerge) -> session::Session;
    fn list_merge_queues(merge_queue::ListMergeQueues) -> Vec<merge_queue::MergeQueue>;
    fn change_merge_queue(merge_queue::ChangeMergeQueue) -> Vec<merge_queue::MergeQueue>;
    fn propose_plan(plan::ProposePlan) -> plan::Plan;
    fn plan_goal(plan::PlanGoal) -> plan::PlannedGoal;
    fn run_plan(plan::PlanRef) -> plan::Plan;
    fn list_plans(plan::ListPlans) -> Vec<plan::Plan>;
    fn plan_status(plan::PlanRef) -> plan::Plan;
    fn plan_stops(plan::PlanRef) -> Vec<worker::WorkerEvent>;
    fn change_plan(plan::ChangePlan) -> plan::Plan;
    fn merge_plan(plan_merge::MergePlan) -> plan_merge::PlanMerge;
    fn start_fix(fix::StartFix) -> fix::FixRun;
    fn fix_status(fix::GetFixes) -> Vec<fix::FixRun>;
    fn cancel_fix(fix::FixRef) -> fix::FixRun;
    fn get_check_output(check::GetCheckOutput) -> check::CheckOutput;
    fn list_workers(request::SessionRef) -> Vec<session::Session>;
    fn wait_for_workers(worker::WaitForWorkers) -> worker::WaitReport;
    fn tools_listed(request::SessionRef) -> request::Nothing;
    fn report_result(report::ReportResult) -> session::Session;
    fn ask_conductor(worker::AskConductor) -> session::Session;
    fn kill_workers(request::SessionRef) -> worker::Ended;
    fn search(search::Search) -> Vec<search::Hit>;
    fn find_files(file::FindFiles) -> file::FoundFiles;
    fn attach_file(file::Attach) -> file::Attached;
    fn get_timeline(timeline::GetTimeline) -> timeline::Timeline;
    fn get_usage(usage::GetUsage) -> usage::UsageReport;
    fn list_agents(request::Nothing) -> Vec<agent::Agent>;
    fn list_orphans(request::Nothing) -> Vec<orphan::Orphan>;
    fn end_orphans(orphan::EndOrphans) -> Vec<orphan::Orphan>;
    fn list_notices(request::Nothing) -> Vec<notice::Notice>;
    fn read_notices(notice::ReadNotices) -> request::Nothing;
    fn get_settings(request::Nothing) -> settings::Settings;
    fn edit_settings(settings::EditSettings) -> settings::Settings;
    fn get_preferences(request::Nothing) -> preferences::Preferences;
    fn keep_preferences(preferences::Preferences) -> request::Nothing;
    fn add_attention(notice::AddAttention) -> request::Nothing;
    fn list_notifiers(request::Nothing) -> Vec<notifier::NotifierState>;
    fn test_notifier(notifier::NotifierRef) -> notifier::NotifierTested;
    fn report_view(notifier::ReportView) -> request::Nothing;
}

#[async_trait]
impl Host for Scripted {
    async fn authenticate(&self, token: &str) -> Option<Caller> {
        match token {
            OWNER => Some(Caller::Owner),
            SESSION => Some(Caller::Session(SessionId::parse(SESSION_ID)?)),
            _ => None,
        }
    }

    async fn perform(
        &self,
        caller: &Caller,
        name: &str,
        arguments: Value,
        key: Option<&Key>,
    ) -> Result<Value, ApiError> {
        let keyed = (name.to_owned(), key.map(|key| key.as_str().to_owned()));
        self.keys.lock().unwrap().push(keyed);
        call(self, caller, name, arguments).await
    }

    async fn prove(&self, key: &str, nonce: &str, port: u16) -> String {
        let known = [OWNER, SESSION];
        let meant = known.into_iter().find(|token| proof::fingerprint(token) == key);
        proof::prove(meant.unwrap_or("nobody's"), nonce, port)
    }

    async fn subscribe(
        &self,
        _caller: &Caller,
        since: Option<i64>,
    ) -> Result<mpsc::Receiver<StreamItem>, ApiError> {
        self.since.lock().unwrap().push(since);
        let items = self.items.lock().unwrap().take();
        items.ok_or_else(|| ApiError::new(Code::Conflict, "no stream in the script"))
    }

    async fn attach(
        &self,
        _caller: &Caller,
        session: &str,
        first: FirstFrame,
    ) -> Result<TerminalLink, ApiError> {
        self.firsts.lock().unwrap().push(first);
        let link = self.links.lock().unwrap().pop();
        link.unwrap_or_else(|| Err(ApiError::not_found("session", session)))
    }

    async fn take_webhook(&self, webhook: webhook::Webhook) -> Result<webhook::WebhookReceipt, ApiError> {
        let call = Call {
            caller: Caller::Owner,
            name: "take_webhook",
            arguments: serde_json::json!([webhook.from.path(), webhook.headers, webhook.body.len()]),
        };
        self.calls.lock().unwrap().push(call.clone());
        let answer = (self.answers)(call).await?;
        Ok(serde_json::from_value(answer).expect("the script fits the response type"))
    }

    async fn hand_over(&self, _caller: &Caller) -> Result<(), ApiError> {
        self.handed_over.cancel();
        Ok(())
    }
}
