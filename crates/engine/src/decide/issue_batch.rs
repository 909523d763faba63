//! Which issues of a request are the same, and which sessions still work on theirs. Pure.

use crate::session::stage;
use crate::state::known::State;
use downbeat_model::lifecycle::Stage;
use downbeat_model::session::SessionIssue;
use downbeat_model::{ProjectId, SessionId};
use downbeat_store::SessionRow;

/// Returns whether a session has not reached its end, so that it still works on its issue.
#[must_use]
pub fn is_active(row: &SessionRow) -> bool {
    let is_over = matches!(stage::lifecycle(row).stage, Stage::Merged | Stage::Killed);
    row.archived_at.is_none() && !is_over
}

/// Returns the session of a project that works on an issue, except for these.
#[must_use]
pub fn working_on<'a>(
    state: &'a State,
    project: &ProjectId,
    issue: &SessionIssue,
    except: &[SessionId],
) -> Option<&'a SessionRow> {
    let mut all = state.sessions.values().map(|row| &**row);
    all.find(|row| {
        row.project_id == *project
            && is_active(row)
            && !except.contains(&row.id)
            && row.issue.as_ref().is_some_and(|own| own.is_same(issue))
    })
}

/// Returns whether two texts name the same issue, as far as they show it.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    bare(one).eq_ignore_ascii_case(bare(other))
}

/// Returns an issue as it is compared: `#42` and `GH-42` are `42`, and the address of a page at Linear is its key.
fn bare(issue: &str) -> &str {
    let issue = issue.trim();
    let page = issue.strip_prefix("https://linear.app/");
    if let Some((_, page)) = page.and_then(|page| page.split_once("/issue/")) {
        return page.split(['/', '#', '?']).next().unwrap_or(page);
    }
    let number = issue.strip_prefix('#').or_else(|| issue.strip_prefix("GH-"));
    number.unwrap_or(issue).trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::{is_active, is_same};
    use crate::state::example::with;
    use downbeat_model::Status;

    #[test]
    fn issues_are_the_same_by_their_names() {
        let linear = "https://linear.app/acme/issue/ENG-7/round";
        for (one, other, expected) in [
            ("42", "#42", true),
            ("GH-42", " 42 ", true),
            ("42", "43", false),
            ("42", "acme/shop#42", false),
            ("acme/shop#42", "Acme/Shop#42", true),
            ("ENG-7", linear, true),
            ("eng-7", "ENG-7", true),
            ("ENG-8", linear, false),
        ] {
            assert_eq!(is_same(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn a_session_that_was_killed_or_archived_works_on_nothing() {
        assert!(is_active(&with(1, Status::Idle)) && is_active(&with(1, Status::Exited)));
        assert!(!is_active(&with(1, Status::Killed)));
        let mut archived = with(1, Status::Exited);
        archived.archived_at = Some(jiff::Timestamp::UNIX_EPOCH);
        assert!(!is_active(&archived));
    }
}
