//! Which sessions a cleanup may put away, and why others stay. Pure.

use crate::session::stage;
use downbeat_model::Status;
use downbeat_model::lifecycle::Stage;
use downbeat_model::session::MergeState;
use downbeat_store::SessionRow;
use downbeat_wire::cleanup::CleanupReason;

/// How far the issue of a session is, as its forge or tracker says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IssueState {
    /// There is none, or nobody asked.
    Unasked,
    /// It is open.
    Open,
    /// It is closed.
    Closed,
    /// It could not be read, with the reason.
    Unknown(String),
}

/// What else decides about a session.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// Its issue.
    pub issue: &'a IssueState,
    /// Whether messages wait for its agent.
    pub has_messages: bool,
    /// Whether a session below it is live.
    pub has_live_workers: bool,
    /// Whether it conducts a plan that is not over.
    pub has_open_plan: bool,
}

/// Reports whether the state of a session's issue decides: only then it is asked for.
#[must_use]
pub fn depends_on_issue(row: &SessionRow) -> bool {
    row.issue.is_some() && !is_merged(row)
}

/// Returns why a session may be put away.
///
/// # Errors
/// Fails with the reason why it stays.
pub fn reason(row: &SessionRow, around: Around<'_>) -> Result<CleanupReason, String> {
    let reason = match around.issue {
        _ if is_merged(row) => Some(CleanupReason::Merged),
        IssueState::Closed => Some(CleanupReason::IssueClosed),
        _ if row.status.is_ended() => Some(CleanupReason::Ended),
        _ => None,
    };
    if around.has_live_workers {
        return Err("a session below it has not ended".to_owned());
    }
    if around.has_open_plan {
        return Err("a plan of it is not over".to_owned());
    }
    let is = format!("it is {}", row.status.as_str());
    match reason {
        Some(reason) if row.status.is_ended() => Ok(reason),
        Some(_) if row.pulls.iter().any(|card| card.is_open()) => {
            Err(format!("{is} and has an open pull request"))
        }
        Some(_) if around.has_messages => Err("messages wait for its agent".to_owned()),
        Some(_) if row.conducts => Err(format!("{is} and conducts")),
        Some(reason) if matches!(row.status, Status::Idle | Status::Paused) => Ok(reason),
        _ => Err(match around.issue {
            IssueState::Unknown(why) => format!("{is}; its issue could not be read: {why}"),
            _ => is,
        }),
    }
}

/// Reports whether the work of a session was merged, at a forge or in the project's repository, and it did nothing since.
fn is_merged(row: &SessionRow) -> bool {
    let landed = row.merging.state(row.status, row.status_since) == Some(MergeState::Landed);
    landed || stage::lifecycle(row).stage == Stage::Merged
}

#[cfg(test)]
mod tests {
    use super::{Around, IssueState, reason};
    use crate::decide::reactions::tests::pull;
    use crate::state::example::{at, session};
    use downbeat_model::session::{MergeOutcome, MergeResult, SessionPull};
    use downbeat_model::{Status, Subject};
    use downbeat_wire::cleanup::CleanupReason::{self, Ended, IssueClosed, Merged};

    type Given<'a> = (Status, bool, &'a IssueState, bool, bool);
    type Row<'a> = (Given<'a>, Result<CleanupReason, &'a str>);

    const OPEN: IssueState = IssueState::Open;
    const CLOSED: IssueState = IssueState::Closed;

    /// Each row: the status, whether its work was merged, its issue, whether messages wait, whether a worker is live.
    #[test]
    fn what_is_over_goes_and_what_is_at_work_stays() {
        let unknown = IssueState::Unknown("github.com does not answer".into());
        let rows: [Row<'_>; 14] = [
            (
                (Status::Exited, false, &IssueState::Unasked, false, false),
                Ok(Ended),
            ),
            ((Status::Killed, false, &OPEN, false, false), Ok(Ended)),
            ((Status::Errored, false, &unknown, false, false), Ok(Ended)),
            ((Status::Exited, false, &CLOSED, false, false), Ok(IssueClosed)),
            ((Status::Exited, true, &CLOSED, true, false), Ok(Merged)),
            ((Status::Idle, true, &OPEN, false, false), Ok(Merged)),
            ((Status::Idle, false, &CLOSED, false, false), Ok(IssueClosed)),
            ((Status::Paused, false, &CLOSED, false, false), Ok(IssueClosed)),
            ((Status::Idle, false, &OPEN, false, false), Err("it is idle")),
            (
                (Status::Idle, false, &unknown, false, false),
                Err("it is idle; its issue could not be read: github.com does not answer"),
            ),
            (
                (Status::Running, true, &CLOSED, false, false),
                Err("it is running"),
            ),
            (
                (Status::Idle, false, &CLOSED, true, false),
                Err("messages wait for its agent"),
            ),
            (
                (Status::Exited, false, &CLOSED, false, true),
                Err("a session below it has not ended"),
            ),
            (
                (Status::Waiting, false, &CLOSED, false, false),
                Err("it is waiting"),
            ),
        ];
        for (number, ((status, merged, issue, has_messages, has_live_workers), wanted)) in
            rows.into_iter().enumerate()
        {
            let mut row = session(1);
            row.status = status;
            row.merging.last = merged.then(|| MergeResult {
                outcome: MergeOutcome::Landed,
                target: "main".into(),
                head: String::new(),
                commit: None,
                detail: String::new(),
                files: Vec::new(),
                at: at(1),
            });
            let around = Around {
                issue,
                has_messages,
                has_live_workers,
                has_open_plan: false,
            };
            assert_eq!(
                reason(&row, around),
                wanted.map_err(str::to_owned),
                "row {number}: {status:?}"
            );
        }
    }

    #[test]
    fn work_since_a_merge_and_an_open_pull_request_keep_a_session() {
        let around = Around {
            issue: &OPEN,
            has_messages: false,
            has_live_workers: false,
            has_open_plan: false,
        };
        let landed = |since: i64| {
            let mut row = session(1);
            (row.status, row.status_since) = (Status::Idle, at(since));
            row.merging.last = Some(MergeResult {
                outcome: MergeOutcome::Landed,
                target: "main".into(),
                head: String::new(),
                commit: None,
                detail: String::new(),
                files: Vec::new(),
                at: at(5),
            });
            row
        };
        assert_eq!(reason(&landed(4), around), Ok(Merged));
        assert_eq!(reason(&landed(6), around), Err("it is idle".to_owned()));
        let mut open = landed(4);
        let pull = pull(&[], &[]);
        let id = Subject::of_word("pull:github.com/PR_1");
        let seen = pull.seen.as_ref().unwrap();
        open.pulls.push(SessionPull::of(id, &pull, seen));
        let why = "it is idle and has an open pull request";
        assert_eq!(reason(&open, around), Err(why.to_owned()));
        open.status = Status::Exited;
        assert_eq!(reason(&open, around), Ok(Merged), "its branch stays");
    }

    #[test]
    fn an_idle_conductor_stays() {
        let mut row = session(1);
        row.conducts = true;
        let around = Around {
            issue: &CLOSED,
            has_messages: false,
            has_live_workers: false,
            has_open_plan: false,
        };
        assert_eq!(reason(&row, around), Err("it is idle and conducts".to_owned()));
        row.status = Status::Exited;
        assert_eq!(reason(&row, around), Ok(CleanupReason::IssueClosed));
        let around = Around {
            has_open_plan: true,
            ..around
        };
        assert_eq!(reason(&row, around), Err("a plan of it is not over".to_owned()));
    }
}
