//! Proposes, runs, shows and changes plans, for the person and for conductors.
//!
//! * `shown`: a plan as faces show it
//! * `domains`: the domains of a project's tasks
//! * `earlier`: what plans of the same file did before
//! * `issues`: makes a plan of an epic, or of the issues of beads
//! * `absent`: agents that are not installed
//! * `propose`: reads a plan, and keeps it
//! * `project`: in which project an edited or added task is worked on
//! * `goal`: makes a plan of a goal alone
//! * `results`: the folder in which result files count
//! * `edit`: changes a task
//! * `edit_plan`: changes a plan itself
//! * `merge_plan`: merges its work
//! * `change`: what is changed in one
//! * `stops`: what its workers waited for, or ended with
//! * `ask`: runs, lists and shows them

mod absent;
mod ask;
mod change;
mod domains;
mod earlier;
mod edit;
mod edit_plan;
mod goal;
mod issues;
mod merge_plan;
mod project;
mod propose;
mod results;
mod shown;
mod stops;

pub use ask::{list, run, status};
pub use change::change;
pub use goal::{plan as plan_goal, planned_by};
pub use merge_plan::merge;
pub use propose::propose;
pub use stops::stops;
