//! The merge queue of one target branch: which branches land on it, in which order, and why each of them waits. A
//! state machine: [`Queue::apply`] takes a fact and the time, and returns the effects that follow. It does not run
//! git, checks or a forge; whoever carries out an effect reports its result as a fact.
//!
//! A round takes one entry or a batch through three steps: make a candidate, check it, land it. What is checked is
//! what lands: nothing is on the target whose tree was not green, by the checks of the time.
//!
//! * **Entries** are pinned to the head that was verified. When the branch moves, its entry leaves.
//! * **Order** (`entry.rs`): by priority and time, so that each entry is overtaken for a bounded time only.
//! * **A conflict** goes to the agent of the entry, if the entry conflicts with the target alone. One that conflicts
//!   with others of its batch waits until they landed.
//! * **A red candidate** is checked once more before anybody is blamed. A batch that stays red is halved; each half
//!   is a candidate of its own, tested before it lands. Results are kept by tree, so that no tree is tested twice
//!   (`checked.rs`).
//! * **The target moved**: landing compares and swaps, and a candidate on an old target is made again.
//!
//! Repeating a fact changes nothing: facts from outside carry the number of their event, and a result the number of
//! its step. One round runs at a time; candidates on top of others that are still being checked are not made.

mod checked;
mod effect;
mod ended;
mod entry;
mod fact;
mod kept;
mod results;
mod round;
mod state;
mod step;
mod waits;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod moves_tests;
#[cfg(test)]
mod order_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tables;
#[cfg(test)]
mod unchecked_tests;

pub use checked::{CheckResult, Checked, Flaky};
pub use effect::{Effect, Head, Notice, TellAgent, Work};
pub use ended::{Ended, Left, Withdrawal};
pub use entry::{Entry, OVERTAKEN_AT_MOST, Priority};
pub use fact::{Candidate, Fact, Refusal, StepResult, Told};
pub use kept::Kept;
pub use round::{Batch, Held, HeldBy, Next, Round, Run};
pub use state::{PausedBy, Place, Queue, QueuePause, Settings};
pub use waits::{Wait, WaitReason};
