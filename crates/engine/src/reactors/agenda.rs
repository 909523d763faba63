//! The agenda of one reactor: what it has to do, does and did, which of its due items to start, and when to
//! look next. It only keeps account; [`crate::reactors::run`] starts the work.

use crate::reactors::reactor::{Due, Next};
use downbeat_model::Subject;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::time::Duration;

/// The longest time between two looks at the clock while there is something to wait for: a machine that
/// sleeps, or a clock that is set, is noticed within it.
pub const CHECK: Duration = Duration::from_secs(30);

/// The agenda of one reactor.
#[derive(Debug, Default)]
pub struct Agenda {
    /// The time of the next look; `None` until something changes.
    look_at: Option<Timestamp>,
    /// The number of the last change that was reported to it.
    change: u64,
    /// The end of the time in which changes are collected.
    collects_until: Option<Timestamp>,
    running: BTreeMap<Subject, Run>,
    done: BTreeMap<Subject, Done>,
}

/// A run in progress.
#[derive(Debug, Clone)]
struct Run {
    /// The change after which the run was started.
    change: u64,
    mark: Option<String>,
}

/// A finished run.
#[derive(Debug)]
struct Done {
    run: Run,
    /// The time of the next try, if the run failed.
    again: Option<Timestamp>,
}

impl Agenda {
    /// Records a change at `now`, to be looked at within `collects`.
    pub fn changed(&mut self, change: u64, now: Timestamp, collects: Duration) {
        self.change = change;
        let until = *self.collects_until.get_or_insert(later(now, collects));
        self.look_by(until);
    }

    /// Reports whether it is time to look.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.look_at.is_some_and(|at| at <= now)
    }

    /// Returns the time of the next look.
    pub fn next(&self) -> Option<Timestamp> {
        self.look_at
    }

    /// Schedules a look immediately: the clock was set back, so all times have to be determined again.
    pub fn forget_times(&mut self, now: Timestamp) {
        self.collects_until = None;
        self.look_at = self.look_at.map(|_| now);
        for done in self.done.values_mut() {
            done.again = done.again.map(|_| now);
        }
    }

    /// Takes the result of a look. Returns the subjects to start now, without those that already run or are
    /// done.
    pub fn take(&mut self, next: Next, now: Timestamp) -> Vec<Subject> {
        self.collects_until = None;
        // A look that asks for a time that is not in the future waits for the next check, so that it does not
        // spin.
        self.look_at = next.again.map(|at| if at > now { at } else { later(now, CHECK) });
        self.done
            .retain(|subject, _| next.due.iter().any(|due| due.subject == *subject));
        let mut started = Vec::new();
        for due in next.due {
            if self.is_to_start(&due, now) {
                let run = Run {
                    change: self.change,
                    mark: due.mark,
                };
                self.running.insert(due.subject.clone(), run);
                started.push(due.subject);
            }
        }
        started
    }

    fn is_to_start(&mut self, due: &Due, now: Timestamp) -> bool {
        if self.running.contains_key(&due.subject) {
            return false;
        }
        let Some(done) = self.done.get(&due.subject) else {
            return true;
        };
        match done.again {
            Some(again) if again > now => {
                self.look_by(again);
                false
            }
            Some(_) => true,
            None if due.mark.is_some() => due.mark != done.run.mark,
            None => done.run.change != self.change,
        }
    }

    /// Records the end of a run. A failed run is tried again at `again`. Schedules another look: what changed
    /// during the run may ask for the same again.
    pub fn finished(&mut self, subject: Subject, again: Option<Timestamp>, now: Timestamp) {
        if let Some(run) = self.running.remove(&subject) {
            self.done.insert(subject, Done { run, again });
        }
        self.look_by(self.collects_until.unwrap_or(now));
    }

    fn look_by(&mut self, at: Timestamp) {
        self.look_at = self.look_at.into_iter().chain([at]).min();
    }
}

/// Returns the moment `by` after `at`.
pub fn later(at: Timestamp, by: Duration) -> Timestamp {
    at.checked_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Agenda, CHECK, later};
    use crate::reactors::reactor::{Due, Next};
    use downbeat_model::Subject;
    use jiff::Timestamp;
    use std::time::Duration;

    const NONE: Duration = Duration::ZERO;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn next(due: &[Due], again: Option<i64>) -> Next {
        Next {
            due: due.to_vec(),
            again: again.map(at),
        }
    }

    fn each() -> Due {
        Due::after_each(Subject::Engine)
    }

    #[test]
    fn a_subject_runs_once_at_a_time_and_again_after_a_change() {
        let mut agenda = Agenda::default();
        agenda.changed(1, at(0), NONE);
        assert!(agenda.is_due(at(0)));
        assert_eq!(agenda.take(next(&[each()], None), at(0)), [Subject::Engine]);
        assert!(!agenda.is_due(at(9)), "nothing to look for");
        agenda.changed(2, at(1), NONE);
        assert!(agenda.take(next(&[each()], None), at(1)).is_empty(), "it runs");
        agenda.finished(Subject::Engine, None, at(2));
        assert!(agenda.is_due(at(2)));
        assert_eq!(agenda.take(next(&[each()], None), at(2)), [Subject::Engine]);
        agenda.finished(Subject::Engine, None, at(3));
        assert!(
            agenda.take(next(&[each()], None), at(3)).is_empty(),
            "it was done"
        );
        assert_eq!(agenda.next(), None);
    }

    #[test]
    fn a_subject_with_a_mark_runs_again_only_for_another_mark() {
        let mut agenda = Agenda::default();
        let once = |mark: &str| next(&[Due::once(Subject::Engine, mark)], None);
        assert_eq!(agenda.take(once("a"), at(0)), [Subject::Engine]);
        agenda.finished(Subject::Engine, None, at(0));
        agenda.changed(1, at(1), NONE);
        assert!(agenda.take(once("a"), at(1)).is_empty());
        assert_eq!(agenda.take(once("b"), at(2)), [Subject::Engine]);
        agenda.finished(Subject::Engine, None, at(2));
        // Subjects that a look does not name any more are forgotten.
        assert!(agenda.take(next(&[], None), at(3)).is_empty());
        assert_eq!(agenda.take(once("b"), at(4)), [Subject::Engine]);
    }

    #[test]
    fn a_failed_run_is_retried_after_its_time_and_not_after_each_change() {
        let mut agenda = Agenda::default();
        assert_eq!(agenda.take(next(&[each()], None), at(0)), [Subject::Engine]);
        agenda.finished(Subject::Engine, Some(at(30)), at(0));
        agenda.changed(1, at(1), NONE);
        assert!(agenda.take(next(&[each()], None), at(1)).is_empty());
        assert_eq!(agenda.next(), Some(at(30)));
        assert!(!agenda.is_due(at(29)) && agenda.is_due(at(30)));
        assert_eq!(agenda.take(next(&[each()], None), at(30)), [Subject::Engine]);
    }

    #[test]
    fn changes_are_collected_from_the_first_one() {
        let mut agenda = Agenda::default();
        let two = Duration::from_secs(2);
        agenda.changed(1, at(0), two);
        agenda.changed(2, at(1), two);
        assert!(!agenda.is_due(at(1)) && agenda.is_due(at(2)));
        // A run that ends meanwhile does not cut the collecting short.
        agenda.take(next(&[each()], None), at(2));
        agenda.changed(3, at(3), two);
        agenda.finished(Subject::Engine, None, at(4));
        assert!(!agenda.is_due(at(4)) && agenda.is_due(at(5)));
    }

    #[test]
    fn a_look_that_asks_for_the_past_does_not_spin() {
        let mut agenda = Agenda::default();
        agenda.take(next(&[], Some(5)), at(5));
        assert_eq!(agenda.next(), Some(later(at(5), CHECK)));
        agenda.take(next(&[], Some(6)), at(5));
        assert_eq!(agenda.next(), Some(at(6)));
    }

    #[test]
    fn a_clock_that_is_set_back_delays_nothing() {
        let mut agenda = Agenda::default();
        agenda.take(next(&[each()], Some(9000)), at(8000));
        agenda.finished(Subject::Engine, Some(at(8030)), at(8000));
        agenda.forget_times(at(100));
        assert!(agenda.is_due(at(100)));
        assert_eq!(agenda.take(next(&[each()], None), at(100)), [Subject::Engine]);
    }
}
