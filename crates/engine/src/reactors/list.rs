//! The list of all reactors. A new reactor is a file next to this one, and a line here.

use crate::reactors::carry_out::CarryOut;
use crate::reactors::check_again::CheckAgain;
use crate::reactors::clear_shells::ClearShells;
use crate::reactors::compare_worktrees::CompareWorktrees;
use crate::reactors::count_changes::CountChanges;
use crate::reactors::deliver_messages::DeliverMessages;
use crate::reactors::deliver_notices::DeliverNotices;
use crate::reactors::end_snoozes::EndSnoozes;
use crate::reactors::escalate_questions::EscalateQuestions;
use crate::reactors::finish_pull_orders::FinishPullOrders;
use crate::reactors::fix_red::FixRed;
use crate::reactors::hold_to_budgets::HoldToBudgets;
use crate::reactors::keep_awake::KeepAwake;
use crate::reactors::keep_reserve::KeepReserve;
use crate::reactors::keep_results::KeepResults;
use crate::reactors::land_in_order::LandInOrder;
use crate::reactors::let_go_archived::LetGoArchived;
use crate::reactors::merge_again::MergeAgain;
use crate::reactors::note_complete::NoteComplete;
use crate::reactors::observe_forges::ObserveForges;
use crate::reactors::raise_exchanges::RaiseExchanges;
use crate::reactors::react_again::ReactAgain;
use crate::reactors::react_to_sessions::ReactToSessions;
use crate::reactors::reactor::Reactor;
use crate::reactors::resume_after_limits::ResumeAfterLimits;
use crate::reactors::run_checks::RunChecks;
use crate::reactors::run_commands::RunCommands;
use crate::reactors::run_plans::RunPlans;
use crate::reactors::see_commits::SeeCommits;
use crate::reactors::start_queued::StartQueued;
use crate::reactors::tell_conductors::TellConductors;
use crate::reactors::thin_out_events::ThinOutEvents;
use crate::reactors::watch_folders::WatchFolders;
use std::sync::Arc;

/// Returns all reactors, in the order in which they look.
pub fn all() -> Vec<Arc<dyn Reactor>> {
    vec![
        Arc::new(CarryOut),
        Arc::new(RunChecks),
        Arc::new(MergeAgain),
        Arc::new(LandInOrder),
        Arc::new(FixRed),
        Arc::new(FinishPullOrders),
        Arc::new(RunCommands),
        Arc::new(RunPlans),
        Arc::new(CheckAgain),
        Arc::new(ClearShells),
        Arc::new(DeliverMessages),
        Arc::new(DeliverNotices),
        Arc::new(TellConductors),
        Arc::new(EscalateQuestions),
        Arc::new(EndSnoozes),
        Arc::new(RaiseExchanges),
        Arc::new(ResumeAfterLimits),
        Arc::new(HoldToBudgets),
        Arc::new(StartQueued),
        Arc::new(KeepAwake),
        Arc::new(KeepResults::default()),
        Arc::new(WatchFolders),
        Arc::new(SeeCommits),
        Arc::new(CountChanges),
        Arc::new(CompareWorktrees),
        Arc::new(KeepReserve),
        Arc::new(LetGoArchived),
        Arc::new(ObserveForges),
        Arc::new(NoteComplete),
        Arc::new(ReactToSessions),
        Arc::new(ReactAgain),
        Arc::new(ThinOutEvents),
    ]
}
