//! What the tracker or the forge of a session's issue is told, and when. Pure: records effects, and says what one changes of an
//! issue.

use crate::decide::notices;
use crate::state::draft::Draft;
use downbeat_forge::{Comment, Issue, NodeId, Progress, TrackedIssue};
use downbeat_model::effect::{Effect, EffectState, ForgeIssue, Track, TrackStep, Work};
use downbeat_model::reactions::NoticePriority;
use downbeat_model::session::{SessionIssue, UntoldMerge};
use downbeat_model::{NewNotice, PlanId, ProjectId, SessionId, Subject};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::notice::NoticeKind;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// What is changed of an issue in a tracker.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// The state that it gets.
    pub state: Option<NodeId>,
    /// The account that it is given to.
    pub assignee: Option<NodeId>,
    /// A comment.
    pub comment: Option<String>,
}

/// What is changed of an issue at a forge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForgeChange {
    /// Whether the account of the token gets it.
    pub assigns: bool,
    /// A comment.
    pub comment: Option<String>,
    /// Whether it is closed.
    pub closes: bool,
}

/// Records that a session begins to work on its issue.
pub fn begun(draft: &mut Draft, row: &SessionRow) {
    record(draft, row, "begun", TrackStep::Begun);
}

/// Records that the work of a session was merged. `about` tells several merges of a session apart. While another pull request
/// of it is open, the issue is not done; see [`closed`].
///
/// # Errors
/// Fails if the session is not there.
pub fn merged(draft: &mut Draft, id: &SessionId, about: &str, place: String) -> Result<(), ApiError> {
    let row = draft.session(id)?;
    if row.has_open_pull() {
        let about = about.to_owned();
        row.untold_merge = Some(UntoldMerge { about, place });
        return Ok(());
    }
    row.untold_merge = None;
    let row = row.clone();
    record(
        draft,
        &row,
        &format!("merged/{about}"),
        TrackStep::Merged { place },
    );
    Ok(())
}

/// Records that a pull request of a session was closed without being merged. If it was the last open one, what was merged before
/// is all of the session's work.
///
/// # Errors
/// Fails if the session is not there.
pub fn closed(draft: &mut Draft, id: &SessionId) -> Result<(), ApiError> {
    match draft.session(id)?.untold_merge.take() {
        Some(untold) => merged(draft, id, &untold.about, untold.place),
        None => Ok(()),
    }
}

/// Records that a task of a plan is done that no session did, at this commit if it has one. `task` is its id.
pub fn done(
    draft: &mut Draft,
    (plan, project): (&PlanId, &ProjectId),
    (task, of): (&str, &SessionIssue),
    commit: Option<String>,
) {
    let who = Who {
        session: None,
        plan: Some(plan.clone()),
        project: project.clone(),
    };
    tell(
        draft,
        who,
        of,
        &format!("done/{task}"),
        TrackStep::Done { commit },
    );
}

/// Who worked on an issue.
struct Who {
    session: Option<SessionId>,
    plan: Option<PlanId>,
    project: ProjectId,
}

fn record(draft: &mut Draft, row: &SessionRow, about: &str, step: TrackStep) {
    let Some(of) = &row.issue else { return };
    let who = Who {
        session: Some(row.id.clone()),
        plan: None,
        project: row.project_id.clone(),
    };
    tell(draft, who, of, about, step);
}

fn tell(draft: &mut Draft, who: Who, of: &SessionIssue, about: &str, step: TrackStep) {
    let forge = of.key.is_none().then(|| at_forge(of));
    // The person's token changes nothing for a project that they do not trust, nor in a repository that they did not trust it with:
    // agents can name others as remotes.
    let projects = &draft.state().projects;
    let project = projects
        .get(&who.project)
        .filter(|project| project.trusted)
        .cloned();
    let is_own = project
        .as_ref()
        .is_some_and(|project| project.owns(&of.host, &of.repository));
    if forge.is_some() && !is_own {
        if let Some(project) = project.filter(|_| !matches!(step, TrackStep::Merged { .. })) {
            let text = format!(
                "{}#{} stays as it is at the forge: {} was not trusted with that repository; if it is yours, `downbeat project \
                 edit {} --trust yes` takes the remotes as they are now",
                of.repository, of.number, project.name, project.name
            );
            let notice = NewNotice {
                kind: NoticeKind::NeedsLook,
                priority: NoticeKind::NeedsLook.priority(),
                session_id: None,
                plan_id: None,
                project_id: Some(project.id.clone()),
                title: project.name.clone(),
                text,
                at: draft.now(),
            };
            draft.notice(notice);
        }
        return;
    }
    let by = who_is(who.session.as_ref(), who.plan.as_ref());
    let track = Track {
        session: who.session,
        plan: who.plan,
        issue: of
            .key
            .clone()
            .unwrap_or_else(|| format!("{}#{}", of.repository, of.number)),
        forge,
        step,
    };
    let (key, now) = (format!("{by}/issue/{about}"), draft.now());
    draft.carry_out(Effect::new(
        key,
        Subject::Engine,
        Work::Track(Box::new(track)),
        now,
    ));
}

/// Returns the id of the session, or of the plan.
fn who_is(session: Option<&SessionId>, plan: Option<&PlanId>) -> String {
    let session = session.map(ToString::to_string);
    session
        .or_else(|| plan.map(ToString::to_string))
        .unwrap_or_default()
}

/// Returns what a comment says of an issue whose work is over; nothing for a step that is not the last.
fn over(step: &TrackStep) -> Option<String> {
    match step {
        TrackStep::Begun => None,
        TrackStep::Merged { place } => Some(format!("Merged: {place}")),
        TrackStep::Done { commit: Some(commit) } => Some(format!("Done: {commit}")),
        TrackStep::Done { commit: None } => Some("Done.".to_owned()),
    }
}

fn at_forge(issue: &SessionIssue) -> ForgeIssue {
    ForgeIssue {
        host: issue.host.clone(),
        repository: issue.repository.clone(),
        number: issue.number,
    }
}

/// Returns what to change of an issue in a tracker as it is now. What somebody did there meanwhile stays.
#[must_use]
pub fn change(track: &Track, issue: &TrackedIssue) -> Change {
    match over(&track.step) {
        None => Change {
            state: (issue.states.begun.clone()).filter(|_| issue.progress == Progress::Waiting),
            assignee: Some(issue.viewer.clone())
                .filter(|_| issue.assignee.is_none() && issue.progress < Progress::Over),
            comment: None,
        },
        Some(text) => {
            let id = comment_id(track);
            let is_said = issue.comments.iter().any(|comment| comment.id.0 == id);
            Change {
                state: (issue.states.done.clone()).filter(|_| issue.progress < Progress::Over),
                assignee: None,
                comment: Some(text).filter(|_| !is_said),
            }
        }
    }
}

/// Returns what to change of an issue at a forge as it is now. What somebody did there meanwhile stays: an issue that the merge
/// closed already needs no comment, because the forge links the pull request. A forge takes no id for a comment, so the comment
/// ends with a mark; if there are more comments than were read, nobody knows whether the mark is among them, and none is added.
#[must_use]
pub fn change_at_forge(track: &Track, issue: &Issue) -> ForgeChange {
    match over(&track.step) {
        None => ForgeChange {
            assigns: issue.open && issue.assignees.is_empty(),
            ..ForgeChange::default()
        },
        Some(text) => {
            let mark = format!("<!-- downbeat {} -->", comment_id(track));
            let is_said = |comment: &Comment| comment.body.text.contains(&mark);
            let is_new = issue.open && issue.complete && !issue.comments.iter().any(is_said);
            ForgeChange {
                assigns: false,
                comment: is_new.then(|| format!("{text}\n\n{mark}")),
                closes: issue.open,
            }
        }
    }
}

/// Returns the id of the comment that follows from a step: a repeat has the same one.
#[must_use]
pub fn comment_id(track: &Track) -> String {
    let by = who_is(track.session.as_ref(), track.plan.as_ref());
    let seed = format!("{by}/{}/{:?}", track.issue, track.step);
    let mut bytes = Sha256::digest(seed);
    // The form of a random UUID.
    for (at, keep, set) in [(6, 0x0f, 0x40), (8, 0x3f, 0x80)] {
        if let Some(byte) = bytes.get_mut(at) {
            *byte = *byte & keep | set;
        }
    }
    let mut id = String::new();
    for (at, byte) in bytes.iter().take(16).enumerate() {
        if [4, 6, 8, 10].contains(&at) {
            id.push('-');
        }
        let _ = write!(id, "{byte:02x}");
    }
    id
}

/// Closes an effect, and tells the person if it could not be carried out.
///
/// # Errors
/// Fails if nothing can be recorded.
pub fn conclude(
    draft: &mut Draft,
    key: &str,
    track: &Track,
    problem: Option<String>,
) -> Result<(), ApiError> {
    let state = match problem {
        None => EffectState::Done,
        Some(_) => EffectState::Dropped,
    };
    draft.change_effect(key, |effect| effect.state = state);
    let Some(why) = problem else { return Ok(()) };
    let what = match (&track.step, track.forge.is_some()) {
        (TrackStep::Begun, true) => "could not be assigned to you",
        (TrackStep::Begun, false) => "is not marked as begun",
        (TrackStep::Merged { .. } | TrackStep::Done { .. }, true) => "could not be closed",
        (TrackStep::Merged { .. } | TrackStep::Done { .. }, false) => "is not marked as done",
    };
    let text = format!("{} {what}: {why}", track.issue);
    if let Some(session) = &track.session {
        return match draft.state().sessions.contains_key(session) {
            true => notices::notify(draft, session, NoticeKind::NeedsLook, text),
            false => Ok(()),
        };
    }
    let plan = track
        .plan
        .as_ref()
        .and_then(|id| draft.state().plans.get(id).cloned());
    if let Some(plan) = plan {
        let notice = NewNotice {
            kind: NoticeKind::Raised,
            priority: NoticePriority::Action,
            session_id: None,
            plan_id: None,
            project_id: Some(plan.project.clone()),
            title: format!("an issue stays open: {}", plan.plan.title),
            text: format!("{text}\n"),
            at: draft.now(),
        };
        draft.notice(notice);
    }
    Ok(())
}

#[cfg(test)]
#[path = "tracking_tests.rs"]
mod tests;
