//! Proposes, runs, shows and changes plans, for the person and for conductors.
//!
//! * `shown`: a plan as faces show it
//! * `domains`: the domains of a project's tasks
//! * `earlier`: what plans of the same file did before
//! * `propose`: reads a plan, and keeps it
//! * `goal`: makes a plan of a goal alone
//! * `change`: what is changed in one
//! * `ask`: runs, lists and shows them

mod ask;
mod change;
mod domains;
mod earlier;
mod goal;
mod propose;
mod shown;

pub use ask::{list, run, status};
pub use change::change;
pub use goal::{plan as plan_goal, planned_by};
pub use propose::propose;
