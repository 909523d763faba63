//! Writes the TypeScript side of the table. The result is committed under `ui/src/wire/`; the
//! test here fails when it is out of date, and rewrites it when `UPDATE_WIRE` is set.

use crate::table::OPERATIONS;
use crate::{
    agent, change, check, cleanup, editor, engine, error, event, explain, file, fix, merge, merge_queue,
    message, notice, notifier, orphan, plan, plan_merge, preferences, project, pull, pull_request, reaction,
    report, request, restore, review, search, session, settings, shell, spawn, story, timeline, usage,
    worker, workspace,
};
use downbeat_model as model;
use ts_rs::{Config, TS};

const HEAD: &str = "// Generated from crates/wire by `npm run wire`. Do not edit.\n\n";

/// All types, as `types.ts`.
#[must_use]
pub fn types() -> String {
    let config = Config::default();
    let mut out = String::from(HEAD);
    macro_rules! each {
        ($($type:ty),+ $(,)?) => {$(
            if let Some(docs) = <$type as TS>::docs() {
                out.push_str(docs.trim_end());
                out.push('\n');
            }
            out.push_str("export ");
            out.push_str(&<$type as TS>::decl(&config));
            out.push_str("\n\n");
        )+};
    }
    each!(
        model::SessionId,
        model::ProjectId,
        model::PlanId,
        model::Role,
        model::Workspace,
        model::PermissionMode,
        model::Status,
        model::Activity,
        model::ToolsState,
        model::EvidenceSource,
        model::Evidence,
        model::QuestionKind,
        model::Question,
        model::ReasonKind,
        model::Reason,
        model::AttentionKind,
        model::Attention,
        model::Column,
        model::EventKind,
        error::Code,
        error::ApiError,
        crate::topic::Topic,
        event::Change,
        event::StreamItem,
        request::Nothing,
        request::SessionRef,
        request::OffTheList,
        request::ProjectRef,
        engine::EngineInfo,
        engine::OnShutdown,
        engine::Shutdown,
        project::SetupPlan,
        project::Project,
        project::AddProject,
        project::InspectFolder,
        project::FolderKind,
        project::FolderReport,
        project::RemoveProject,
        project::EditProject,
        project::Branch,
        file::FindFiles,
        file::FoundFiles,
        file::Attach,
        file::Attached,
        timeline::GetTimeline,
        timeline::TimelineState,
        timeline::TimelineSpan,
        timeline::TimelineSums,
        timeline::TimelineSession,
        timeline::Timeline,
        search::Search,
        search::TextKind,
        search::Piece,
        search::Hit,
        usage::Usage,
        model::budget::Budget,
        model::budget::Standing,
        usage::BudgetScope,
        usage::BudgetState,
        usage::GetUsage,
        usage::DayUsage,
        usage::ModelUsage,
        usage::SessionUsage,
        usage::ProjectUsage,
        usage::AgentUsage,
        usage::PlanUsage,
        usage::UsageReport,
        session::Base,
        session::Approval,
        session::StepState,
        session::Step,
        session::LimitState,
        session::PauseState,
        shell::Shell,
        shell::CloseShell,
        model::session::ChecksState,
        model::session::CheckNow,
        model::session::DoneState,
        model::session::Done,
        model::CheckOutcome,
        model::CheckResult,
        model::Verification,
        check::Checks,
        check::GetCheckOutput,
        check::CheckOutput,
        model::session::MergeStrategy,
        model::session::MergeOutcome,
        model::session::MergeResult,
        model::queue::Priority,
        merge::MergeSession,
        merge::Merges,
        merge_queue::ListMergeQueues,
        merge_queue::ChangeMergeQueue,
        merge_queue::FlakyChecks,
        merge_queue::PrioritizeMerge,
        merge_queue::MergeQueue,
        merge_queue::MergeQueueEntry,
        downbeat_plans::Task,
        downbeat_plans::Split,
        downbeat_plans::ShareState,
        downbeat_plans::PlanState,
        plan::ProposePlan,
        downbeat_plans::TemplateInfo,
        plan::PlanGoal,
        plan::PlanningSession,
        plan::PlannedGoal,
        plan::PlanRef,
        plan::ListPlans,
        plan::PlanChange,
        plan::ChangePlan,
        plan::PlanWorker,
        plan::PlanProject,
        plan::Plan,
        plan_merge::MergePlan,
        plan_merge::WorkerMergeResult,
        plan_merge::WorkerMerge,
        plan_merge::PlanMerge,
        fix::StartFix,
        fix::GetFixes,
        fix::FixRef,
        fix::FixOutcome,
        model::fix::GroupState,
        model::fix::Failure,
        model::fix::Group,
        fix::FixRun,
        model::pull::PullState,
        model::pull::Mergeable,
        model::pull::ReviewDecision,
        model::pull::ReviewState,
        model::pull::Review,
        model::pull::Comment,
        model::pull::Thread,
        model::pull::CheckState,
        model::pull::Check,
        model::pull::ChecksVerdict,
        model::session::MergeState,
        model::lifecycle::Stage,
        model::lifecycle::StageReason,
        model::lifecycle::Lifecycle,
        change::ChangeScope,
        change::ListChanges,
        change::ChangeMark,
        change::FileChange,
        change::ChangeCommit,
        change::ChangeList,
        change::GetChange,
        change::NotShown,
        change::ChangeHunk,
        change::ChangedPicture,
        change::FileDiff,
        change::HunkPlace,
        change::DiscardChange,
        change::Discarded,
        change::UndoDiscard,
        change::Undone,
        editor::OpenInEditor,
        editor::OpenedInEditor,
        model::session::ReviewVerdict,
        model::session::LineComment,
        model::session::SessionReview,
        review::ReviewSession,
        model::session::ChangeCount,
        model::session::CollidingFile,
        model::session::Collision,
        model::session::TurnEnd,
        model::session::SessionPull,
        model::session::LinkedIssue,
        model::session::SessionIssue,
        pull::PullDetail,
        pull::ForgeState,
        pull::ForgeWebhook,
        pull_request::CreatePull,
        pull_request::PullOpened,
        pull_request::ChangePull,
        pull_request::PullChange,
        pull_request::PullChanged,
        reaction::ReactionState,
        reaction::Reactions,
        reaction::ReactionRule,
        reaction::ReactionOutcome,
        reaction::ReactionDone,
        reaction::ReactionControl,
        model::reactions::Event,
        reaction::SimulateReactions,
        reaction::SimulatedReaction,
        reaction::SimulatedStep,
        reaction::ControlReaction,
        reaction::PauseReactions,
        session::SessionSummary,
        session::Session,
        session::SessionFilter,
        session::SessionStatus,
        session::OutputKind,
        story::GetStory,
        story::Story,
        story::StoryEntry,
        story::StoryKind,
        story::StoryTone,
        explain::ExplainSession,
        explain::TracedFact,
        explain::Explanation,
        session::GetOutput,
        session::ChangedFile,
        session::Changes,
        session::Output,
        model::When,
        model::MessageState,
        model::Sender,
        message::Message,
        message::SendMessage,
        message::MessageReceipt,
        message::EditMessage,
        message::MessageRef,
        agent::AgentRef,
        agent::AgentDetail,
        session::AnswerQuestion,
        session::Delivery,
        session::AnswerReceipt,
        session::EditSession,
        session::ResumeSession,
        session::GoOn,
        session::GoOnSession,
        session::PauseSession,
        session::SnoozeSession,
        session::ContinueSetup,
        restore::ConversationState,
        restore::PlaceState,
        restore::RestoreState,
        restore::RestartSession,
        restore::ForkSession,
        restore::HandOverSession,
        restore::ForkedFrom,
        restore::EarlierAgent,
        session::StopSessions,
        spawn::NewSession,
        spawn::SpawnPreview,
        spawn::StartIssues,
        spawn::StartedIssue,
        spawn::IssueOutcome,
        cleanup::CleanUp,
        cleanup::CleanupReason,
        cleanup::CleanupTree,
        workspace::WorkspaceState,
        workspace::IgnoredWork,
        workspace::ClearBuildOutput,
        workspace::BuildOutput,
        workspace::RemoveWorkspace,
        workspace::Backup,
        workspace::Removal,
        workspace::RestoreWork,
        worker::WaitUntil,
        worker::WaitForWorkers,
        worker::Stop,
        worker::WorkerEventKind,
        worker::WorkerEvent,
        worker::WaitReport,
        report::ReportStatus,
        report::ReportResult,
        report::WorkerReport,
        worker::AskConductor,
        worker::Ended,
        agent::Agent,
        model::reactions::NoticePriority,
        notice::NoticeKind,
        notice::Notice,
        notice::ReadNotices,
        notice::AddAttention,
        notifier::NotifierState,
        notifier::NotifierRef,
        notifier::NotifierTested,
        notifier::ReportView,
        orphan::Orphan,
        orphan::EndOrphans,
        explain::ProcessUsage,
        settings::Theme,
        settings::Command,
        settings::BudgetSettings,
        settings::Settings,
        settings::EditSettings,
        preferences::Preferences,
    );
    out
}

/// The table of operations, as `operations.ts`.
#[must_use]
pub fn operations() -> String {
    let config = Config::default();
    let mut out = String::from(HEAD);
    out.push_str("import type * as t from \"./types\";\n\n/** Request and response of every operation. */\nexport interface Operations {\n");
    for row in OPERATIONS {
        let doc = row.doc.trim().replace("\n ", " ");
        let (request, response) = ((row.request_ts)(&config), (row.response_ts)(&config));
        let name = camel(row.name);
        out.push_str(&format!(
            "  /** {doc} */\n  {name}: {{ request: t.{request}; response: {} }};\n",
            qualified(&response)
        ));
    }
    out.push_str("}\n\n/** Where each operation lives, and what is out of date after it. */\nexport const OPERATIONS = {\n");
    for row in OPERATIONS {
        let topics = serde_json::to_string(row.invalidates).unwrap_or_default();
        let repeat = serde_json::to_string(&row.repeat).unwrap_or_default();
        out.push_str(&format!(
            "  {}: {{ name: \"{}\", method: \"{}\", path: \"{}\", repeat: {repeat}, invalidates: {topics} }},\n",
            camel(row.name),
            row.name,
            row.method,
            row.path
        ));
    }
    out.push_str("} as const satisfies Record<keyof Operations, { name: string; method: string; path: string; repeat: \"harmless\" | \"keyed\" | \"never\"; invalidates: readonly t.Topic[] }>;\n");
    out
}

fn qualified(name: &str) -> String {
    match name.strip_prefix("Array<").and_then(|n| n.strip_suffix('>')) {
        Some(item) => format!("t.{item}[]"),
        None => format!("t.{name}"),
    }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut out, word| {
        let mut letters = word.chars();
        out.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        out.push_str(letters.as_str());
        out
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn the_committed_typescript_is_up_to_date() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/wire");
        for (name, text) in [
            ("types.ts", super::types()),
            ("operations.ts", super::operations()),
        ] {
            let path = folder.join(name);
            if std::env::var_os("UPDATE_WIRE").is_some() {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&path, &text).unwrap();
            }
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(committed == text, "{name} is out of date: run `npm run wire`");
        }
    }
}
