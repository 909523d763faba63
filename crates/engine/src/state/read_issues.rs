//! The issues that plans were previewed with, for a minute: while somebody chooses the options of a plan, no forge and no program is
//! asked again. What is kept is always read anew.

use downbeat_model::ProjectId;
use downbeat_plans::{Issues, Meant};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long they are valid.
const VALID: Duration = Duration::from_secs(60);

/// The most that are kept.
const MOST: usize = 8;

/// The issues that were read last.
#[derive(Debug, Default)]
pub struct ReadIssues(Mutex<Vec<Read>>);

#[derive(Debug)]
struct Read {
    of: (ProjectId, Meant),
    at: Instant,
    issues: Issues,
}

impl ReadIssues {
    /// Returns what was read of this a short time ago.
    pub fn get(&self, of: &(ProjectId, Meant)) -> Option<Issues> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter().find(|one| one.of == *of && one.at.elapsed() < VALID)?;
        Some(found.issues.clone())
    }

    /// Keeps what was read now.
    pub fn put(&self, of: (ProjectId, Meant), issues: Issues) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| one.of != of && one.at.elapsed() < VALID);
        if all.len() == MOST {
            all.remove(0);
        }
        let at = Instant::now();
        all.push(Read { of, at, issues });
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, ReadIssues};
    use downbeat_model::ProjectId;
    use downbeat_plans::{Form, Issues, Meant};

    #[test]
    fn the_newest_few_are_kept() {
        let project = ProjectId::parse("p000000000001").unwrap();
        let of = |number: usize| (project.clone(), Meant::Epic(number.to_string()));
        let read = ReadIssues::default();
        for number in 0..=MOST {
            let title = number.to_string();
            let (form, parts, notes) = (Form::Epic, Vec::new(), Vec::new());
            read.put(
                of(number),
                Issues {
                    title,
                    form,
                    parts,
                    notes,
                },
            );
        }
        assert!(read.get(&of(0)).is_none() && read.get(&of(1)).is_some());
        assert_eq!(read.get(&of(MOST)).unwrap().title, MOST.to_string());
    }
}
