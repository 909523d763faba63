//! Implements the table of operations: a few lines for each operation. The work is done in other modules.

use crate::api::{
    attention, changes, checks, cost, editor, engine, explain, files, fix, inspect_folder, limits, merge,
    merge_queues, messages, notices, notifiers, output, plans, preferences, preview, projects, pulls,
    reactions, reason, restore, reviews, search, sessions, settings, story, timeline, workers,
};
use crate::decide::access;
use crate::effects::process::probe;
use crate::effects::pulls::order;
use crate::effects::session::{self, archive, cleanup, end_all, fork, pause, restart, resume};
use crate::effects::terminal::answer;
use crate::effects::worktree::{build_output, forget, leave_project, orphans, record, remove};
use crate::facts::tools;
use crate::state::context::Engine;
use crate::state::find;
use async_trait::async_trait;
use downbeat_wire::prelude::*;
use downbeat_wire::{ApiError, Caller, Operations};

type Answer<T> = Result<T, ApiError>;

#[async_trait]
impl Operations for Engine {
    async fn get_engine(&self, _: &Caller, _: Nothing) -> Answer<EngineInfo> {
        self.info().await
    }

    async fn shutdown_engine(&self, caller: &Caller, request: Shutdown) -> Answer<Nothing> {
        engine::shut_down(self, caller, request.sessions).await
    }

    async fn list_projects(&self, _: &Caller, _: Nothing) -> Answer<Vec<Project>> {
        Ok(projects::list(self).await)
    }

    async fn add_project(&self, _: &Caller, request: AddProject) -> Answer<Project> {
        projects::add(self, request).await
    }

    async fn inspect_folder(&self, _: &Caller, request: InspectFolder) -> Answer<FolderReport> {
        inspect_folder::inspect(self, &request.path).await
    }

    async fn get_project(&self, _: &Caller, request: ProjectRef) -> Answer<Project> {
        projects::get(self, &request.id).await
    }

    async fn edit_project(&self, _: &Caller, request: EditProject) -> Answer<Project> {
        projects::edit(self, request).await
    }

    async fn remove_project(&self, _: &Caller, request: RemoveProject) -> Answer<Nothing> {
        leave_project::remove(self, &request).await.map(|()| Nothing {})
    }

    async fn list_branches(&self, _: &Caller, request: ProjectRef) -> Answer<Vec<Branch>> {
        projects::branches(self, &request.id).await
    }

    async fn list_sessions(&self, caller: &Caller, request: SessionFilter) -> Answer<Vec<SessionSummary>> {
        sessions::list(self, caller, &request).await
    }

    async fn create_session(&self, caller: &Caller, request: NewSession) -> Answer<Session> {
        let id = session::create::create(self, (caller, caller), request, |_, _| Ok(())).await?;
        self.shown(&id)
    }

    async fn start_issues(&self, caller: &Caller, request: StartIssues) -> Answer<Vec<StartedIssue>> {
        session::issues::start(self, caller, &request).await
    }

    async fn preview_session(&self, caller: &Caller, request: NewSession) -> Answer<SpawnPreview> {
        preview::preview(self, caller, &request).await
    }

    async fn stop_sessions(&self, _: &Caller, request: StopSessions) -> Answer<Ended> {
        end_all::stop(&self.arc()?, &request).await
    }

    async fn get_session(&self, caller: &Caller, request: SessionRef) -> Answer<Session> {
        self.shown(&self.terminal(caller, &request.id).await?.id)
    }

    async fn get_status(&self, caller: &Caller, request: SessionRef) -> Answer<SessionStatus> {
        let row = self.terminal(caller, &request.id).await?;
        Ok(reason::status(self, &self.ledger.state(), &row))
    }

    async fn explain_session(&self, caller: &Caller, request: ExplainSession) -> Answer<Explanation> {
        explain::explain(self, &*self.terminal(caller, &request.id).await?, request.facts).await
    }

    async fn get_story(&self, caller: &Caller, request: GetStory) -> Answer<Story> {
        story::story(self, &*self.find(caller, &request.id).await?, request.limit).await
    }

    async fn clear_status(&self, caller: &Caller, request: SessionRef) -> Answer<Session> {
        explain::clear(self, &self.find(caller, &request.id).await?.id).await
    }

    async fn get_output(&self, caller: &Caller, request: GetOutput) -> Answer<Output> {
        let row = self.terminal(caller, &request.id).await?;
        let what = request.what.unwrap_or_default();
        output::read(&self.arc()?, &row, what, request.lines).await
    }

    async fn list_changes(&self, caller: &Caller, request: ListChanges) -> Answer<ChangeList> {
        changes::list(self, &*self.find(caller, &request.id).await?, &request).await
    }

    async fn get_change(&self, caller: &Caller, request: GetChange) -> Answer<FileDiff> {
        changes::file(self, &*self.find(caller, &request.id).await?, request).await
    }

    async fn discard_change(&self, caller: &Caller, request: DiscardChange) -> Answer<Discarded> {
        changes::discard(self, &*self.find(caller, &request.id).await?, request).await
    }

    async fn undo_discard(&self, caller: &Caller, request: UndoDiscard) -> Answer<Undone> {
        changes::undo(self, &*self.find(caller, &request.id).await?, request.number).await
    }

    async fn review_session(&self, caller: &Caller, request: ReviewSession) -> Answer<Session> {
        reviews::review(self, caller, &*self.find(caller, &request.id).await?, &request).await
    }

    async fn open_in_editor(&self, caller: &Caller, request: OpenInEditor) -> Answer<OpenedInEditor> {
        editor::open(self, &*self.find(caller, &request.id).await?, &request).await
    }

    async fn get_agent(&self, _caller: &Caller, request: AgentRef) -> Answer<AgentDetail> {
        probe::detail(self, &request.id).await
    }

    async fn answer_question(&self, caller: &Caller, request: AnswerQuestion) -> Answer<AnswerReceipt> {
        let row = self.find(caller, &request.id).await?;
        access::may_answer(caller, &self.known_agents(), &self.ledger.state(), &row)?;
        answer::answer(&self.arc()?, caller, &row.id, &request).await
    }

    async fn send_message(&self, caller: &Caller, request: SendMessage) -> Answer<MessageReceipt> {
        let row = self.terminal(caller, &request.id).await?;
        access::may_type(caller, &self.known_agents(), &row)?;
        crate::effects::terminal::messages::send(self, caller, &row, &request, false).await
    }

    async fn list_messages(&self, caller: &Caller, request: SessionRef) -> Answer<Vec<Message>> {
        let row = self.terminal(caller, &request.id).await?;
        Ok(messages::list(&self.ledger.state(), &row.id))
    }

    async fn edit_message(&self, caller: &Caller, request: EditMessage) -> Answer<Message> {
        messages::edit(self, &*self.terminal(caller, &request.id).await?, &request).await
    }

    async fn delete_message(&self, caller: &Caller, request: MessageRef) -> Answer<Nothing> {
        let row = self.terminal(caller, &request.id).await?;
        messages::delete(self, &row, &request).await.map(|()| Nothing {})
    }

    async fn edit_session(&self, caller: &Caller, request: EditSession) -> Answer<Session> {
        sessions::rename(self, &*self.find(caller, &request.id).await?, &request.title).await
    }

    async fn kill_session(&self, caller: &Caller, request: SessionRef) -> Answer<Session> {
        sessions::kill(&self.arc()?, caller, &request.id).await
    }

    async fn resume_session(&self, caller: &Caller, request: ResumeSession) -> Answer<Session> {
        let row = self.find(caller, &request.id).await?;
        resume::resume(&self.arc()?, &row.id, &request).await?;
        self.shown(&row.id)
    }

    async fn go_on_session(&self, caller: &Caller, request: GoOnSession) -> Answer<Session> {
        let row = self.find(caller, &request.id).await?;
        limits::go_on(self, &row.id, request.when.unwrap_or_default()).await?;
        self.shown(&row.id)
    }

    async fn snooze_session(&self, caller: &Caller, request: SnoozeSession) -> Answer<Session> {
        let row = self.find(caller, &request.id).await?;
        attention::snooze(self, &row.id, request.until).await?;
        self.shown(&row.id)
    }

    async fn pause_session(&self, caller: &Caller, request: PauseSession) -> Answer<Session> {
        let row = self.find(caller, &request.id).await?;
        pause::pause(&self.arc()?, &row.id, request.workers.unwrap_or(false)).await?;
        self.shown(&row.id)
    }

    async fn get_restore(&self, caller: &Caller, request: SessionRef) -> Answer<RestoreState> {
        restore::state(self, &*self.find(caller, &request.id).await?).await
    }

    async fn restart_session(&self, caller: &Caller, request: RestartSession) -> Answer<Session> {
        let row = self.find(caller, &request.id).await?;
        restart::restart(&self.arc()?, &row.id, &request, |_| Ok(())).await?;
        self.shown(&row.id)
    }

    async fn fork_session(&self, caller: &Caller, request: ForkSession) -> Answer<Session> {
        let row = self.find(caller, &request.id).await?;
        self.shown(&fork::fork(self, &row, &request).await?)
    }

    async fn hand_over_session(&self, caller: &Caller, request: HandOverSession) -> Answer<Session> {
        let row = self.find(caller, &request.id).await?;
        restart::hand_over(&self.arc()?, &row.id, &request).await?;
        self.shown(&row.id)
    }

    async fn archive_session(&self, caller: &Caller, request: OffTheList) -> Answer<Session> {
        let row = self.find(caller, &request.id).await?;
        archive::archive(self, &row.id, request.force.unwrap_or(false)).await?;
        self.shown(&row.id)
    }

    async fn unarchive_session(&self, caller: &Caller, request: SessionRef) -> Answer<Session> {
        let row = self.find(caller, &request.id).await?;
        archive::unarchive(self, &row.id).await?;
        self.shown(&row.id)
    }

    async fn continue_setup(&self, caller: &Caller, request: ContinueSetup) -> Answer<Session> {
        let row = self.find(caller, &request.id).await?;
        resume::continue_setup(&self.arc()?, &row.id, &request).await?;
        self.shown(&row.id)
    }

    async fn get_workspace(&self, caller: &Caller, request: SessionRef) -> Answer<WorkspaceState> {
        record::state(self, &*self.find(caller, &request.id).await?).await
    }

    async fn remove_workspace(&self, caller: &Caller, request: RemoveWorkspace) -> Answer<Removal> {
        remove::remove(self, caller, &*self.find(caller, &request.id).await?, &request).await
    }

    async fn clear_build_output(&self, caller: &Caller, request: ClearBuildOutput) -> Answer<BuildOutput> {
        let row = self.find(caller, &request.id).await?;
        build_output::clear(self, &row, request.dry_run.unwrap_or(false)).await
    }

    async fn clean_up(&self, _: &Caller, request: CleanUp) -> Answer<Vec<CleanupTree>> {
        cleanup::clean_up(&self.arc()?, &request).await
    }

    async fn list_backups(&self, caller: &Caller, request: SessionRef) -> Answer<Vec<Backup>> {
        remove::backups(self, &*self.find(caller, &request.id).await?).await
    }

    async fn restore_work(&self, caller: &Caller, request: RestoreWork) -> Answer<Session> {
        let row = self.find(caller, &request.id).await?;
        crate::effects::worktree::restore::restore(self, &row, &request).await?;
        self.shown(&row.id)
    }

    async fn check_session(&self, caller: &Caller, request: SessionRef) -> Answer<Session> {
        checks::request(self, caller, &*self.find(caller, &request.id).await?).await
    }

    async fn cancel_checks(&self, caller: &Caller, request: SessionRef) -> Answer<Session> {
        checks::cancel(self, caller, &*self.find(caller, &request.id).await?).await
    }

    async fn send_failures(&self, caller: &Caller, request: SessionRef) -> Answer<Session> {
        checks::send(self, &*self.find(caller, &request.id).await?).await
    }

    async fn merge_session(&self, caller: &Caller, request: MergeSession) -> Answer<Session> {
        merge::request(self, &*self.find(caller, &request.id).await?, &request).await
    }

    async fn cancel_merge(&self, caller: &Caller, request: SessionRef) -> Answer<Session> {
        merge::cancel(self, &*self.find(caller, &request.id).await?).await
    }

    async fn prioritize_merge(&self, caller: &Caller, request: PrioritizeMerge) -> Answer<Session> {
        merge_queues::prioritize(self, &*self.find(caller, &request.id).await?, request.priority).await
    }

    async fn list_merge_queues(&self, caller: &Caller, request: ListMergeQueues) -> Answer<Vec<MergeQueue>> {
        merge_queues::list(self, caller, &request).await
    }

    async fn change_merge_queue(&self, _: &Caller, request: ChangeMergeQueue) -> Answer<Vec<MergeQueue>> {
        merge_queues::change(self, &request).await
    }

    async fn propose_plan(&self, caller: &Caller, request: ProposePlan) -> Answer<Plan> {
        plans::propose(self, caller, request).await
    }

    async fn plan_goal(&self, caller: &Caller, request: PlanGoal) -> Answer<PlannedGoal> {
        plans::plan_goal(self, caller, request).await
    }

    async fn run_plan(&self, caller: &Caller, request: PlanRef) -> Answer<Plan> {
        plans::run(self, caller, &request.id).await
    }

    async fn list_plans(&self, caller: &Caller, request: ListPlans) -> Answer<Vec<Plan>> {
        plans::list(self, caller, &request)
    }

    async fn plan_status(&self, caller: &Caller, request: PlanRef) -> Answer<Plan> {
        plans::status(self, caller, &request.id)
    }

    async fn plan_stops(&self, caller: &Caller, request: PlanRef) -> Answer<Vec<WorkerEvent>> {
        plans::stops(self, caller, &request.id).await
    }

    async fn change_plan(&self, caller: &Caller, request: ChangePlan) -> Answer<Plan> {
        plans::change(self, caller, &request).await
    }

    async fn merge_plan(&self, caller: &Caller, request: MergePlan) -> Answer<PlanMerge> {
        plans::merge(self, caller, &request).await
    }

    async fn start_fix(&self, caller: &Caller, request: StartFix) -> Answer<FixRun> {
        fix::start(self, caller, &request).await
    }

    async fn fix_status(&self, caller: &Caller, request: GetFixes) -> Answer<Vec<FixRun>> {
        fix::list(self, caller, &request)
    }

    async fn cancel_fix(&self, caller: &Caller, request: FixRef) -> Answer<FixRun> {
        fix::cancel(self, caller, &request.id).await
    }

    async fn get_check_output(&self, caller: &Caller, request: GetCheckOutput) -> Answer<CheckOutput> {
        checks::output(self, &*self.find(caller, &request.id).await?, &request.check).await
    }

    async fn list_pulls(&self, caller: &Caller, request: SessionRef) -> Answer<Vec<PullDetail>> {
        pulls::of_session(self, &*self.find(caller, &request.id).await?).await
    }

    async fn create_pull(&self, caller: &Caller, request: CreatePull) -> Answer<PullOpened> {
        order::create(self, &*self.find(caller, &request.id).await?, &request).await
    }

    async fn change_pull(&self, caller: &Caller, request: ChangePull) -> Answer<PullChanged> {
        order::change(self, &*self.find(caller, &request.id).await?, &request).await
    }

    async fn list_reactions(&self, _: &Caller, request: ProjectRef) -> Answer<Vec<ReactionRule>> {
        reactions::rules(self, &*find::project(&self.ledger.state(), &request.id)?).await
    }

    async fn simulate_reactions(
        &self,
        caller: &Caller,
        request: SimulateReactions,
    ) -> Answer<Vec<SimulatedReaction>> {
        reactions::simulate(self, caller, &request).await
    }

    async fn explain_reactions(&self, caller: &Caller, request: SessionRef) -> Answer<Vec<Reactions>> {
        reactions::explain(self, &*self.find(caller, &request.id).await?).await
    }

    async fn reaction_history(&self, caller: &Caller, request: SessionRef) -> Answer<Vec<ReactionDone>> {
        reactions::history(self, &*self.find(caller, &request.id).await?).await
    }

    async fn control_reaction(&self, caller: &Caller, request: ControlReaction) -> Answer<Vec<Reactions>> {
        reactions::control(self, &*self.find(caller, &request.id).await?, &request).await
    }

    async fn pause_reactions(&self, caller: &Caller, request: PauseReactions) -> Answer<Session> {
        reactions::pause(self, &*self.find(caller, &request.id).await?, request.paused).await
    }

    async fn list_forges(&self, _: &Caller, _: Nothing) -> Answer<Vec<ForgeState>> {
        pulls::forges(self).await
    }

    async fn look_at_forges(&self, _: &Caller, _: Nothing) -> Answer<Vec<ForgeState>> {
        pulls::look(self).await
    }

    async fn open_shell(&self, caller: &Caller, request: SessionRef) -> Answer<Shell> {
        session::shells::open(&self.arc()?, &self.find(caller, &request.id).await?.id).await
    }

    async fn close_shell(&self, caller: &Caller, request: CloseShell) -> Answer<Nothing> {
        session::shells::close(&self.arc()?, &*self.find(caller, &request.id).await?, &request).await?;
        Ok(Nothing {})
    }

    async fn forget_session(&self, caller: &Caller, request: OffTheList) -> Answer<Nothing> {
        let row = self.find(caller, &request.id).await?;
        forget::forget(self, &row.id, request.force.unwrap_or(false)).await?;
        Ok(Nothing {})
    }

    async fn list_workers(&self, caller: &Caller, request: SessionRef) -> Answer<Vec<Session>> {
        sessions::workers(self, &self.find(caller, &request.id).await?.id).await
    }

    async fn wait_for_workers(&self, caller: &Caller, request: WaitForWorkers) -> Answer<WaitReport> {
        workers::wait(self, caller, &request).await
    }

    async fn tools_listed(&self, caller: &Caller, request: SessionRef) -> Answer<Nothing> {
        let row = self.find(caller, &request.id).await?;
        tools::listed(self, caller, &row.id).await.map(|()| Nothing {})
    }

    async fn report_result(&self, caller: &Caller, request: ReportResult) -> Answer<Session> {
        workers::result(self, caller, request).await
    }

    async fn ask_conductor(&self, caller: &Caller, request: AskConductor) -> Answer<Session> {
        workers::ask(self, caller, request).await
    }

    async fn kill_workers(&self, caller: &Caller, request: SessionRef) -> Answer<Ended> {
        end_all::kill_workers(&self.arc()?, caller, &request.id).await
    }

    async fn search(&self, caller: &Caller, request: Search) -> Answer<Vec<Hit>> {
        search::find(self, caller, &request).await
    }

    async fn find_files(&self, caller: &Caller, request: FindFiles) -> Answer<FoundFiles> {
        files::find(self, caller, &request).await
    }

    async fn attach_file(&self, _: &Caller, request: Attach) -> Answer<Attached> {
        files::attach(self, request).await
    }

    async fn get_timeline(&self, _: &Caller, request: GetTimeline) -> Answer<Timeline> {
        timeline::timeline(self, &request).await
    }

    async fn get_usage(&self, caller: &Caller, request: GetUsage) -> Answer<UsageReport> {
        cost::report(self, caller, &request).await
    }

    async fn list_agents(&self, _: &Caller, _: Nothing) -> Answer<Vec<Agent>> {
        probe::list(self).await
    }

    async fn list_orphans(&self, _: &Caller, _: Nothing) -> Answer<Vec<Orphan>> {
        orphans::list(self).await
    }

    async fn end_orphans(&self, _: &Caller, request: EndOrphans) -> Answer<Vec<Orphan>> {
        orphans::end(self, &request).await
    }

    async fn list_notices(&self, _: &Caller, _: Nothing) -> Answer<Vec<Notice>> {
        notices::list(self).await
    }

    async fn read_notices(&self, _: &Caller, request: ReadNotices) -> Answer<Nothing> {
        notices::read(self, request).await.map(|()| Nothing {})
    }

    async fn add_attention(&self, caller: &Caller, request: AddAttention) -> Answer<Nothing> {
        notices::raise(self, caller, request).await.map(|()| Nothing {})
    }

    async fn list_notifiers(&self, _: &Caller, _: Nothing) -> Answer<Vec<NotifierState>> {
        notifiers::list(self).await
    }

    async fn test_notifier(&self, _: &Caller, request: NotifierRef) -> Answer<NotifierTested> {
        notifiers::test(self, &request.name).await
    }

    async fn report_view(&self, _: &Caller, request: ReportView) -> Answer<Nothing> {
        notifiers::report_view(self, &request).map(|()| Nothing {})
    }

    async fn get_settings(&self, _: &Caller, _: Nothing) -> Answer<Settings> {
        Ok(self.settings())
    }

    async fn edit_settings(&self, _: &Caller, request: EditSettings) -> Answer<Settings> {
        settings::edit(self, request).await
    }

    async fn get_preferences(&self, _: &Caller, _: Nothing) -> Answer<Preferences> {
        preferences::get(self).await
    }

    async fn keep_preferences(&self, _: &Caller, request: Preferences) -> Answer<Nothing> {
        preferences::keep(self, request).await.map(|()| Nothing {})
    }
}
