//! Where result files of a plan may lie, and what becomes of one that was read. Pure. How they are read:
//! [`crate::effects::plans::results`].

use crate::state::known::State;
use downbeat_model::reactions::NoticePriority;
use downbeat_model::{NewNotice, NoticeKind};
use downbeat_plans::PlanRecord;
use downbeat_wire::{ApiError, Code};
use jiff::Timestamp;
use std::path::Path;

/// Returns why result files may not lie in a folder: a session works there, whose agent may write files there without being asked,
/// and could count tasks as done that way.
#[must_use]
pub fn refused(state: &State, own: &Path, folder: &Path) -> Option<String> {
    if folder.starts_with(own) {
        return Some("it lies in the data directory of Downbeat, where sessions work".to_owned());
    }
    let at_work = state.sessions.values().find(|row| {
        let place = row.workspace_path.as_deref();
        place.is_some_and(|place| folder.starts_with(place))
    });
    at_work.map(|row| {
        format!(
            "{} works there, and its agent could count tasks as done",
            row.name
        )
    })
}

/// Reports whether what prevented a look may pass by itself, so that nobody has to know of it.
#[must_use]
pub fn passes(error: &ApiError) -> bool {
    matches!(error.code, Code::Unavailable | Code::LimitReached)
}

/// Returns what the person is told of result files that do not count.
#[must_use]
pub fn notice(plan: &PlanRecord, new: &[String], at: Timestamp) -> NewNotice {
    let folder = plan.results.as_ref().map_or("", |folder| folder.path.as_str());
    NewNotice {
        kind: NoticeKind::Raised,
        priority: NoticePriority::Action,
        session_id: None,
        plan_id: Some(plan.id.clone()),
        project_id: Some(plan.project.clone()),
        title: format!("a result does not count: {}", plan.plan.title),
        text: format!(
            "{}\nThe files are in {folder}; they are looked at again.\n",
            new.join("\n")
        ),
        at,
    }
}

#[cfg(test)]
mod tests {
    use super::{passes, refused};
    use crate::state::example::{state, with};
    use downbeat_model::Status;
    use downbeat_wire::{ApiError, Code};
    use std::path::Path;

    #[test]
    fn no_folder_of_a_session_and_none_of_downbeat_is_taken() {
        let mut row = with(1, Status::Idle);
        row.workspace_path = Some("/trees/one".into());
        let state = state([row]);
        let look = |folder: &str| refused(&state, Path::new("/data"), Path::new(folder));
        for (folder, expected) in [
            ("/results", false),
            ("/trees", false),
            ("/trees/one-more", false),
            ("/trees/one", true),
            ("/trees/one/results", true),
            ("/data/worktrees/x", true),
            ("/data", true),
        ] {
            assert_eq!(look(folder).is_some(), expected, "{folder}");
        }
    }

    #[test]
    fn only_what_passes_by_itself_is_not_said() {
        for (code, expected) in [
            (Code::Unavailable, true),
            (Code::Failed, false),
            (Code::Invalid, false),
        ] {
            assert_eq!(passes(&ApiError::new(code, "x")), expected, "{code:?}");
        }
    }
}
