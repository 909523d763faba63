//! Carries out what was decided; decides nothing itself. Each effect can be repeated after a crash. The
//! folders, in the order of their imports:
//!
//! * `fleet`: messages to conductors, and result files
//! * `process`: starts, ends and clears away the processes of sessions
//! * `worktree`: plans, makes, sets up, removes and restores worktrees
//! * `pulls`: opens and changes pull requests, and reads issues
//! * `checks`: runs a project's checks on the work of a session
//! * `terminal`: types messages, answers and keys into terminals
//! * `session`: starts, resumes, pauses, restarts, forks, archives and ends whole sessions
//! * `fix`: carries out the runs of `fix`
//! * `conflict`: finds out what conflicts in a pull request
//! * `causes`: asks why checks failed
//! * `reactions`: does what rules decided about sessions and their pull requests
//! * `rule_command`: runs the commands of rules
//! * `tracking`: tells trackers and forges how far the work on issues is
//! * `plans`: starts the workers of plans, and sees what became of them
//! * `notify`: sends notices through notifiers

pub mod causes;
pub mod checks;
pub mod conflict;
pub mod fix;
pub mod fleet;
pub mod notify;
pub mod plans;
pub mod process;
pub mod pulls;
pub mod reactions;
pub mod rule_command;
pub mod session;
pub mod terminal;
pub mod tracking;
pub mod worktree;
