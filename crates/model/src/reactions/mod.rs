//! Reactions: what Downbeat does by itself when checks fail, a reviewer comments or an agent stops. Pure: [`react`]
//! takes what stands now, the rules, the record of what was done, and the time; it returns effects, and when to be asked
//! again. It does not carry them out, and it does not evaluate conditions or templates: their outcome is an input.
//!
//! * A **case** (`case.rs`) says of one event whether it stands, and has the items that it is about: check runs,
//!   comments, a head. `of_pull.rs` and `of_session.rs` derive all cases of a subject.
//! * A **problem** (`record.rs`) is a case that a rule deals with, from its beginning until it was clear for so long
//!   that it does not oscillate. It has the budget: attempts, and whether the person was told.
//! * An **item** is handled once. Only new items are sent; those that arrive together are sent together.
//! * An **attempt** is what is sent about one head. A second failure of the same check is another attempt.
//! * An **escalation** tells the person, once in a problem: when its attempts are used up, when it stands for too long
//!   (the clock alone suffices), or when something could not be sent.
//!
//! `judge.rs` decides, for [`react`] and [`explain`] alike, so that an explanation is never wrong.

mod case;
mod context;
mod contradictions;
mod effect;
mod event;
mod explain;
mod judge;
mod of_pull;
mod of_session;
mod period;
mod priority;
mod react;
mod record;
mod rule;

pub use case::{Case, Item, Situation, Standing};
pub use context::{Condition, Context, Controls};
pub use contradictions::{Contradiction, ContradictionIn, Severity, contradictions};
pub use effect::{Act, Effect, EscalationReason};
pub use event::Event;
pub use explain::{Explanation, explain};
pub use judge::{Because, Verdict, WaitsFor};
pub use of_pull::cases_of_pull;
pub use of_session::{Complete, SessionFacts, cases_of_session};
pub use period::Period;
pub use priority::NoticePriority;
pub use react::{Reaction, react, skip};
pub use record::{Attempt, Escalated, Handled, Problem, Record};
pub use rule::{Action, EscalateAfter, Rule, RuleCommand};

#[cfg(test)]
mod contradiction_tests;
#[cfg(test)]
mod fault_tests;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod person_tables;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod session_tables;
#[cfg(test)]
mod tables;
#[cfg(test)]
mod week_tests;
