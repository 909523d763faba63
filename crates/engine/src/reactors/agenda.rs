//! What one reactor has to do, does and did: which of what its looks give is to be started, and when to look next.
//! Keeps account only; [`crate::reactors::run`] starts what this says.

use crate::reactors::reactor::{Due, Next, Subject};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::time::Duration;

/// The longest time between two looks at the clock while there is something to wait for: a machine that sleeps,
/// or whose clock is set, is found out by then.
pub const CHECK: Duration = Duration::from_secs(30);

/// The account of one reactor.
#[derive(Debug, Default)]
pub struct Agenda {
    /// When to look next; `None` until something changes.
    look_at: Option<Timestamp>,
    /// The last change of which it was told.
    change: u64,
    /// Until when changes are collected.
    collects_until: Option<Timestamp>,
    running: BTreeMap<Subject, Run>,
    done: BTreeMap<Subject, Done>,
}

/// A run that goes on.
#[derive(Debug, Clone)]
struct Run {
    /// The change after which it was started.
    change: u64,
    mark: Option<String>,
}

/// A run that is over.
#[derive(Debug)]
struct Done {
    run: Run,
    /// Where it failed: when it is tried again.
    again: Option<Timestamp>,
}

impl Agenda {
    /// Something changed at `now`: it is to be looked at within `collects`.
    pub fn changed(&mut self, change: u64, now: Timestamp, collects: Duration) {
        self.change = change;
        let until = *self.collects_until.get_or_insert(later(now, collects));
        self.look_by(until);
    }

    /// Whether it is time to look.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.look_at.is_some_and(|at| at <= now)
    }

    /// When to look next.
    pub fn next(&self) -> Option<Timestamp> {
        self.look_at
    }

    /// Looks at once: the clock was set back, and what was to be at a time is to be asked for anew.
    pub fn forget_times(&mut self, now: Timestamp) {
        self.collects_until = None;
        self.look_at = self.look_at.map(|_| now);
        for done in self.done.values_mut() {
            done.again = done.again.map(|_| now);
        }
    }

    /// Takes what a look gave. Returns what is to be started now: not what runs already, nor what was done.
    pub fn take(&mut self, next: Next, now: Timestamp) -> Vec<Subject> {
        self.collects_until = None;
        // A look that names no later time than its own gets no turn of its own for that.
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

    /// A run is over. One that failed is tried again at `again`. It is looked at once more: what changed while it
    /// ran may ask for the same again.
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

/// A moment so much later.
pub fn later(at: Timestamp, by: Duration) -> Timestamp {
    at.checked_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Agenda, CHECK, later};
    use crate::reactors::reactor::{Due, Next, Subject};
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
    fn one_thing_runs_at_a_time_and_again_for_what_changed_meanwhile() {
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
    fn what_is_done_once_is_done_again_only_for_another_mark() {
        let mut agenda = Agenda::default();
        let once = |mark: &str| next(&[Due::once(Subject::Engine, mark)], None);
        assert_eq!(agenda.take(once("a"), at(0)), [Subject::Engine]);
        agenda.finished(Subject::Engine, None, at(0));
        agenda.changed(1, at(1), NONE);
        assert!(agenda.take(once("a"), at(1)).is_empty());
        assert_eq!(agenda.take(once("b"), at(2)), [Subject::Engine]);
        agenda.finished(Subject::Engine, None, at(2));
        // What a look does not name any more is forgotten.
        assert!(agenda.take(next(&[], None), at(3)).is_empty());
        assert_eq!(agenda.take(once("b"), at(4)), [Subject::Engine]);
    }

    #[test]
    fn what_failed_is_tried_again_after_its_time_and_not_with_each_change() {
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
    fn changes_are_collected_from_the_first_on() {
        let mut agenda = Agenda::default();
        let two = Duration::from_secs(2);
        agenda.changed(1, at(0), two);
        agenda.changed(2, at(1), two);
        assert!(!agenda.is_due(at(1)) && agenda.is_due(at(2)));
        // A run that ends meanwhile does not cut that short.
        agenda.take(next(&[each()], None), at(2));
        agenda.changed(3, at(3), two);
        agenda.finished(Subject::Engine, None, at(4));
        assert!(!agenda.is_due(at(4)) && agenda.is_due(at(5)));
    }

    #[test]
    fn a_look_that_names_no_later_time_does_not_turn_in_a_circle() {
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
