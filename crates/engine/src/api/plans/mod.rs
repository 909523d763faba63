//! Proposes, runs, shows and changes plans, for the person and for conductors.
//!
//! * `shown`: a plan as faces show it
//! * `domains`: the domains of a project's tasks
//! * `propose`: reads a plan, and keeps it
//! * `change`: what is changed in one
//! * `ask`: runs, lists and shows them

mod ask;
mod change;
mod domains;
mod propose;
mod shown;

pub use ask::{list, run, status};
pub use change::change;
pub use propose::propose;
