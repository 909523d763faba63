//! The requests and answers of the table, for whoever implements [`crate::Operations`]. Everybody else imports
//! a type from the module of its subject.

pub use crate::agent::{Agent, AgentDetail, AgentRef};
pub use crate::change::{
    ChangeList, DiscardChange, Discarded, FileDiff, GetChange, ListChanges, UndoDiscard, Undone,
};
pub use crate::check::{CheckOutput, GetCheckOutput};
pub use crate::cleanup::{CleanUp, CleanupTree};
pub use crate::editor::{OpenInEditor, OpenedInEditor};
pub use crate::engine::{EngineInfo, OnShutdown, Shutdown};
pub use crate::explain::{ExplainSession, Explanation};
pub use crate::file::{Attach, Attached, FindFiles, FoundFiles};
pub use crate::fix::{FixRef, FixRun, GetFixes, StartFix};
pub use crate::merge::MergeSession;
pub use crate::merge_queue::{ChangeMergeQueue, ListMergeQueues, MergeQueue, PrioritizeMerge};
pub use crate::message::{EditMessage, Message, MessageReceipt, MessageRef, SendMessage};
pub use crate::notice::{AddAttention, Notice, ReadNotices};
pub use crate::notifier::{NotifierRef, NotifierState, NotifierTested, ReportView};
pub use crate::orphan::{EndOrphans, Orphan};
pub use crate::plan::{ChangePlan, ListPlans, Plan, PlanGoal, PlanRef, PlannedGoal, ProposePlan};
pub use crate::plan_merge::{MergePlan, PlanMerge};
pub use crate::preferences::Preferences;
pub use crate::project::{
    AddProject, Branch, EditProject, FolderReport, InspectFolder, Project, RemoveProject,
};
pub use crate::pull::{ForgeState, PullDetail};
pub use crate::pull_request::{ChangePull, CreatePull, PullChanged, PullOpened};
pub use crate::reaction::{
    ControlReaction, PauseReactions, ReactionDone, ReactionRule, Reactions, SimulateReactions,
    SimulatedReaction,
};
pub use crate::report::ReportResult;
pub use crate::request::{Nothing, OffTheList, ProjectRef, SessionRef};
pub use crate::restore::{ForkSession, HandOverSession, RestartSession, RestoreState};
pub use crate::review::ReviewSession;
pub use crate::search::{Hit, Search};
pub use crate::session::{
    AnswerQuestion, AnswerReceipt, ContinueSetup, EditSession, GetOutput, GoOnSession, Output, PauseSession,
    ResumeSession, Session, SessionFilter, SessionStatus, SessionSummary, SnoozeSession, StopSessions,
};
pub use crate::settings::{EditSettings, Settings};
pub use crate::shell::{CloseShell, Shell};
pub use crate::spawn::{NewSession, SpawnPreview, StartIssues, StartedIssue};
pub use crate::story::{GetStory, Story};
pub use crate::timeline::{GetTimeline, Timeline};
pub use crate::usage::{GetUsage, UsageReport};
pub use crate::worker::{AskConductor, Ended, WaitForWorkers, WaitReport, WorkerEvent};
pub use crate::workspace::{
    Backup, BuildOutput, ClearBuildOutput, Removal, RemoveWorkspace, RestoreWork, WorkspaceState,
};
