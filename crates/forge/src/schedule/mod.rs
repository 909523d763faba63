//! What to ask a forge next, computed from what is known, what the limits have left, and the time that is passed in. Pure:
//! nothing here asks, waits or reads a clock.
//!
//! * `cost`: what a query costs, by GitHub's formula
//! * `facts`: what the schedule is computed from
//! * `hint`: when a forge may be asked because of webhooks
//! * `pace`: how much may be asked now
//! * `plan`: what to ask now, and when to look again

mod cost;
mod facts;
mod hint;
mod pace;
mod plan;

#[cfg(test)]
mod hour_tests;
#[cfg(test)]
mod plan_tests;

pub use cost::{conversations_cost, observe_cost};
pub use facts::{Change, Facts, Pending, PullFacts, RepositoryFacts, Spent};
pub use hint::hinted_from;
pub use pace::{Pace, allowance, pace};
pub use plan::{Ask, Plan, back_off, plan};
