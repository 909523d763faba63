//! Reactors, which work without being asked. Each looks after every change, or after a time, and does what is
//! due: [`reactor`] defines them, [`list`] names them, and one loop, [`run`], lets all of them look.
//!
//! In addition, [`adopt`] and [`catch_up`] do the work of a start, and [`follow`] listens to keepers.

pub mod adopt;
pub mod agenda;
pub mod carry_out;
pub mod catch_up;
pub mod check_again;
pub mod clear_shells;
pub mod compare_worktrees;
pub mod count_changes;
pub mod deliver_messages;
pub mod deliver_notices;
pub mod end_snoozes;
pub mod escalate_questions;
pub mod finish_pull_orders;
pub mod fix_red;
pub mod follow;
pub mod hold_to_budgets;
pub mod keep_awake;
pub mod keep_reserve;
pub mod keep_results;
pub mod land_in_order;
pub mod let_go_archived;
pub mod list;
pub mod merge_again;
pub mod note_complete;
pub mod observe_forges;
pub mod raise_exchanges;
pub mod react_again;
pub mod react_to_sessions;
pub mod reactor;
pub mod resume_after_limits;
pub mod run;
pub mod run_checks;
pub mod run_commands;
pub mod run_plans;
pub mod see_commits;
pub mod start_queued;
pub mod tell_conductors;
pub mod thin_out_events;
pub mod watch_folders;
