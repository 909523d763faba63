//! The trait of a reactor, which looks at the state, returns what is due, and does it. When a reactor looks,
//! and which runs go in parallel, is decided by [`crate::reactors::run`].

use crate::host::config::GlobalConfig;
use crate::state::context::Engine;
use crate::state::known::State;
use async_trait::async_trait;
use downbeat_model::{ProjectId, SessionId, Subject};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use jiff::civil::Date;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The time after which a failed run is tried again; the disk may be full, for example.
pub const AGAIN: Duration = Duration::from_secs(30);

/// The input of a look besides the state and the time.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The person's configuration.
    pub config: GlobalConfig,
    /// The number of times that each project's usage was seen to change.
    pub used: BTreeMap<ProjectId, u64>,
    /// The current day on this machine.
    pub today: Date,
}

/// An item of work that is due now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// The subject of the work. A reactor does one thing at a time for each subject.
    pub subject: Subject,
    /// The mark that distinguishes the item from others for the same subject: once done, an item is not
    /// repeated until a look returns another mark. An item without a mark is done after each change for which
    /// a look returns it.
    pub mark: Option<String>,
}

impl Due {
    /// Returns an item that is done after each change for which a look returns it.
    pub fn after_each(subject: Subject) -> Self {
        let mark = None;
        Self { subject, mark }
    }

    /// Returns an item that is done once for this mark.
    pub fn once(subject: Subject, mark: impl ToString) -> Self {
        let mark = Some(mark.to_string());
        Self { subject, mark }
    }
}

/// The result of a look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Next {
    /// The items that are due now.
    pub due: Vec<Due>,
    /// The time of the next look if nothing changes before.
    pub again: Option<Timestamp>,
}

impl Next {
    /// Returns that these sessions are due, after each change for which a look returns them, and when to look again.
    pub fn of_sessions(due: impl IntoIterator<Item = SessionId>, again: Option<Timestamp>) -> Self {
        let due = due.into_iter().map(|id| Due::after_each(Subject::Session(id)));
        Self {
            due: due.collect(),
            again,
        }
    }

    /// Schedules the next look at `at`, unless an earlier one is scheduled.
    pub fn again_at(&mut self, at: Timestamp) {
        self.again = self.again.into_iter().chain([at]).min();
    }
}

/// A component that works without being asked.
#[async_trait]
pub trait Reactor: Send + Sync {
    /// Returns the name of the reactor in the log.
    fn name(&self) -> &'static str;

    /// Returns what is due, and when to look again. Depends on nothing but its arguments, so that a test can
    /// call it with any state at any time.
    fn look(&self, context: &Context, state: &State, now: Timestamp) -> Next;

    /// Does what is due for one subject. A run that a crash cut off, or a request, may have done it already:
    /// then this does nothing.
    async fn act(&self, engine: &Arc<Engine>, subject: &Subject) -> Result<(), ApiError>;

    /// Returns how long changes are collected before the reactor looks.
    fn collects(&self) -> Duration {
        Duration::ZERO
    }

    /// Returns the time after which a failed run is tried again.
    fn retries_after(&self) -> Duration {
        AGAIN
    }
}

/// Returns the number of the period of this length that contains `now`, as a mark, and the start of the next
/// one.
pub fn period(length: Duration, now: Timestamp) -> (i128, Timestamp) {
    let length = i128::try_from(length.as_nanos()).unwrap_or(i128::MAX).max(1);
    let number = now.as_nanosecond().div_euclid(length);
    let next = Timestamp::from_nanosecond((number + 1).saturating_mul(length));
    (number, next.unwrap_or(Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    use super::period;
    use jiff::Timestamp;
    use std::time::Duration;

    #[test]
    fn a_period_ends_where_the_next_one_begins() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let ten = Duration::from_secs(10);
        assert_eq!(period(ten, at(20)), (2, at(30)));
        assert_eq!(period(ten, at(29)), (2, at(30)));
        assert_eq!(period(ten, at(30)), (3, at(40)));
        assert_eq!(period(ten, at(-1)), (-1, at(0)));
        assert_eq!(period(Duration::MAX, at(1)).1, Timestamp::MAX);
    }
}
