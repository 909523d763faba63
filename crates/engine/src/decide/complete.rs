//! Whether all sessions of a project without a conductor are done. It is noted once each time, with the session that was done last:
//! the rules about it act there. Pure.

use crate::decide::reactions::matter::{done_at, has_reactions};
use crate::state::draft::Draft;
use crate::state::known::State;
use downbeat_model::{ProjectId, SessionId};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use std::collections::BTreeMap;

/// Returns the projects of which something else is to be noted, each with that.
pub fn changes(state: &State) -> Vec<(ProjectId, Option<SessionId>)> {
    let mut own: BTreeMap<&ProjectId, Vec<&SessionRow>> = BTreeMap::new();
    for row in state.sessions.values().filter(|row| has_reactions(row)) {
        own.entry(&row.project_id).or_default().push(row);
    }
    let mut changes = Vec::new();
    for (id, rows) in own {
        let Some(project) = state.projects.get(id) else {
            continue;
        };
        let now = completed_by(project.completed_by.as_ref(), &rows);
        if now != project.completed_by {
            changes.push((id.clone(), now));
        }
    }
    changes
}

/// Returns the session that was done last if all are done. What was noted stays until one of them is not: a session that is
/// archived or removed meanwhile completes nothing.
fn completed_by(noted: Option<&SessionId>, rows: &[&SessionRow]) -> Option<SessionId> {
    let mut last = None;
    for row in rows {
        let at = done_at(row).filter(|_| !row.conducts)?;
        last = last.max(Some((at, &row.id)));
    }
    noted.or(last.map(|(_, id)| id)).cloned()
}

/// Notes what is to be noted of a project.
///
/// # Errors
/// Fails if the project is gone.
pub fn note(draft: &mut Draft, id: &ProjectId) -> Result<(), ApiError> {
    let mut changes = changes(draft.state()).into_iter();
    if let Some((_, now)) = changes.find(|(project, _)| project == id) {
        draft.project(id)?.completed_by = now;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{changes, note};
    use crate::state::draft::Draft;
    use crate::state::example::{at, id, project, session, state};
    use downbeat_model::Status;

    /// Each row: what happens, and the session that is then noted.
    #[test]
    fn it_is_noted_once_each_time_with_the_session_that_was_done_last() {
        type Step = fn(&mut Draft);
        fn becomes(draft: &mut Draft, number: u32, status: Status, second: i64) {
            let row = draft.session(&id(number)).unwrap();
            (row.status, row.status_since) = (status, at(second));
        }
        let steps: [(&str, Step, Option<u32>); 11] = [
            ("two work", |_| {}, None),
            ("one ended", |draft| becomes(draft, 2, Status::Exited, 10), None),
            (
                "both ended",
                |draft| becomes(draft, 1, Status::Killed, 20),
                Some(1),
            ),
            ("nothing changed", |_| {}, Some(1)),
            (
                "the last one is archived",
                |draft| draft.session(&id(1)).unwrap().archived_at = Some(at(30)),
                Some(1),
            ),
            ("it is removed", |draft| draft.drop_session(&id(1)), Some(1)),
            (
                "a new one works",
                |draft| draft.put_session(crate::state::example::with(3, Status::Running)),
                None,
            ),
            (
                "it waits for the person",
                |draft| becomes(draft, 3, Status::Idle, 40),
                None,
            ),
            ("it ended", |draft| becomes(draft, 3, Status::Exited, 50), Some(3)),
            (
                "all are archived",
                |draft| {
                    for number in [2, 3] {
                        draft.session(&id(number)).unwrap().archived_at = Some(at(60));
                    }
                },
                Some(3),
            ),
            (
                "a conductor begins",
                |draft| {
                    let mut row = crate::state::example::with(4, Status::Exited);
                    row.conducts = true;
                    draft.put_session(row);
                },
                None,
            ),
        ];
        let running = [1, 2].map(|number| crate::state::example::with(number, Status::Running));
        let mut draft = Draft::of(state(running));
        for (name, step, noted) in steps {
            step(&mut draft);
            note(&mut draft, &project().id).unwrap();
            let found = draft.state().projects[&project().id].completed_by.clone();
            assert_eq!(found, noted.map(id), "{name}");
            assert_eq!(changes(draft.state()), [], "{name}: it is noted");
        }
    }

    #[test]
    fn a_session_whose_work_landed_is_done_once_it_rests() {
        use downbeat_model::session::{MergeOutcome, MergeResult};
        for (outcome, status, is_done) in [
            (MergeOutcome::Landed, Status::Idle, true),
            (MergeOutcome::Landed, Status::Running, false),
            (MergeOutcome::Conflict, Status::Idle, false),
        ] {
            let mut row = session(1);
            row.status = status;
            row.merging.last = Some(MergeResult {
                outcome,
                target: "main".into(),
                head: String::new(),
                commit: None,
                detail: String::new(),
                files: Vec::new(),
                at: at(5),
            });
            let noted = changes(&state([row]));
            assert_eq!(!noted.is_empty(), is_done, "{outcome:?} {status:?}");
        }
    }
}
