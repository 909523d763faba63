//! What reactions are about: a pull request, or a session itself. Gathers the facts from which
//! [`downbeat_model::reactions`] derives cases. Not the rules.

use crate::decide::{limits, mailbox, notices};
use crate::session::{report, review, stage};
use crate::state::known::State;
use downbeat_agents::SHELL;
use downbeat_model::lifecycle::Stage;
use downbeat_model::lines::first_line;
use downbeat_model::pull::Pull;
use downbeat_model::queue::CheckResult;
use downbeat_model::reactions::{Case, Complete, Event, SessionFacts, cases_of_pull, cases_of_session};
use downbeat_model::session::{
    BudgetScope, ChecksState, Done, MergeOutcome, MergeState, ReportStatus, Review, ReviewVerdict,
};
use downbeat_model::verification::Verification;
use downbeat_model::{EvidenceSource, Oid, QuestionKind, Status, Workspace};
use downbeat_store::{ProjectRow, SessionRow};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// What reactions are about, as it is known now.
#[derive(Debug, Clone, Copy)]
pub enum Matter<'a> {
    /// A pull request of the session.
    Pull(&'a Pull),
    /// The session itself.
    Session(&'a SessionMatter),
}

/// What of a session itself reactions are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionMatter {
    /// The facts that decide.
    pub facts: SessionFacts,
    /// The question that is open.
    pub question: Option<String>,
    /// How its agent ended.
    pub end: String,
    /// The usage limit, in the words of the agent.
    pub limit: Option<String>,
    /// The reason of the pause for a budget.
    pub budget: Option<String>,
    /// The last result of its checks, if it is red.
    pub checks: Option<Verification>,
    /// The last review of its work.
    pub review: Option<Review>,
    /// Its workers, each by its name with how it did; all sessions of the project, if it was the last of them to be done.
    pub workers: Vec<(String, String)>,
    /// The name of the project whose sessions those are; `None` for workers.
    pub project: Option<String>,
}

impl Matter<'_> {
    /// Returns the cases.
    #[must_use]
    pub fn cases(&self) -> Vec<Case> {
        match self {
            Self::Pull(pull) => cases_of_pull(pull),
            Self::Session(session) => cases_of_session(&session.facts),
        }
    }

    /// Returns whether events of this kind happen to it.
    #[must_use]
    pub const fn is_about(&self, event: Event) -> bool {
        match self {
            Self::Pull(_) => event.is_of_pull(),
            Self::Session(session) => {
                event.is_of_session() && (session.review.is_some() || !event.is_of_review())
            }
        }
    }
}

/// Returns whether rules react to a session: it has an agent, and somebody may still want something of it.
#[must_use]
pub fn has_reactions(row: &SessionRow) -> bool {
    row.agent != SHELL && row.side_shell_of.is_none() && row.archived_at.is_none()
}

impl SessionMatter {
    /// Gathers what is known of a session. `stuck_after` is the time without anything new after which an agent counts
    /// as stuck.
    #[must_use]
    pub fn of(state: &State, row: &SessionRow, stuck_after: Option<Duration>) -> Self {
        let workers = workers(state, row);
        let pause = row.hold.pause.as_ref();
        let over = pause.filter(|pause| pause.budget.is_some());
        let is_red = row.checks.state() == Some(ChecksState::Red);
        Self {
            facts: facts_with(state, row, stuck_after, &workers),
            question: question(state, row).map(|(_, _, text)| text.to_owned()),
            end: first_line(row.error.as_deref().unwrap_or(&row.status_evidence.detail)).to_owned(),
            limit: limits::of(row).map(|limited| limited.limit.text.clone()),
            budget: over.map(|pause| pause.why.clone()),
            checks: row.checks.last.as_ref().filter(|_| is_red).cloned(),
            review: row.review.clone(),
            workers: workers
                .iter()
                .map(|row| (row.name.clone(), outcome(row)))
                .collect(),
            project: completed(state, row).map(|project| project.name.clone()),
        }
    }
}

/// Returns what of a session rules can react to, without its texts.
#[must_use]
pub fn facts(state: &State, row: &SessionRow, stuck_after: Option<Duration>) -> SessionFacts {
    facts_with(state, row, stuck_after, &workers(state, row))
}

fn facts_with(
    state: &State,
    row: &SessionRow,
    stuck_after: Option<Duration>,
    workers: &[&SessionRow],
) -> SessionFacts {
    let quiet = row.observed.as_ref().and_then(|seen| seen.stuck.as_ref());
    let quiet = quiet.filter(|_| row.status == Status::Running);
    let stuck_after = SignedDuration::try_from(stuck_after.unwrap_or_default()).unwrap_or_default();
    let pause = row.hold.pause.as_ref();
    let over = pause.and_then(|pause| Some((word(pause.budget?).to_owned(), pause.at)));
    SessionFacts {
        status: row.status,
        status_since: row.status_since,
        was_ended: was_ended(row),
        question_since: question(state, row).map(|(_, since, _)| since),
        quiet_since: quiet.map(|stuck| stuck.at.saturating_sub(stuck_after).unwrap_or(stuck.at)),
        limit_since: limits::of(row).map(|limited| limited.at),
        budgets: over.into_iter().collect(),
        checks: row.checks.last.as_ref().and_then(|last| result(row, last)),
        mergeable: mergeable(state, row),
        changes_requested: changes_requested(row),
        approved: approved(state, row),
        workers: Some(match row.conducts || completed(state, row).is_some() {
            true => complete(workers),
            false => Complete::NOTHING,
        }),
    }
}

/// Returns the open question. While its conductor is asked first, the person's rules wait as the person does.
fn question<'a>(state: &State, row: &'a SessionRow) -> Option<(QuestionKind, Timestamp, &'a str)> {
    notices::open(row).filter(|_| !notices::is_conductors(state, row))
}

/// Returns the project whose sessions are all done, if this one was the last of them.
fn completed<'a>(state: &'a State, row: &SessionRow) -> Option<&'a ProjectRow> {
    let project = state.projects.get(&row.project_id)?;
    (project.completed_by.as_ref() == Some(&row.id)).then_some(&**project)
}

/// Returns the workers of a conductor that are not archived, or all sessions of a project that this session completed, the
/// oldest first.
fn workers<'a>(state: &'a State, row: &SessionRow) -> Vec<&'a SessionRow> {
    let is_own = |other: &SessionRow| match row.conducts {
        true => other.parent.as_ref() == Some(&row.id) && other.archived_at.is_none(),
        false => other.project_id == row.project_id && has_reactions(other),
    };
    if !row.conducts && completed(state, row).is_none() {
        return Vec::new();
    }
    let all = state.sessions.values().map(|worker| &**worker);
    let mut own: Vec<&SessionRow> = all.filter(|worker| is_own(worker)).collect();
    own.sort_by_key(|worker| worker.created_at);
    own
}

/// Returns whether workers are all done: each ended, or reported the result of its task and rests.
fn complete(workers: &[&SessionRow]) -> Complete {
    let done = |row: &&SessionRow| done_at(row);
    let times: Vec<Timestamp> = workers.iter().filter_map(done).collect();
    Complete {
        open: workers.len() - times.len(),
        since: times.into_iter().max(),
    }
}

/// Returns the time at which a session was done: it ended, or it rests and reported its result, or its work was merged.
#[must_use]
pub fn done_at(row: &SessionRow) -> Option<Timestamp> {
    // One that was never set up waits for the person, not for its agent.
    if row.status.is_ended() || row.status == Status::SetupFailed {
        return Some(row.status_since);
    }
    if row.status != Status::Idle {
        return None;
    }
    let reported = row.result.as_ref().map(|result| result.report.at);
    reported.or_else(|| merged_at(row))
}

/// Returns the time at which the work of a session was merged, as far as it is known.
fn merged_at(row: &SessionRow) -> Option<Timestamp> {
    let landed = row
        .merging
        .last
        .as_ref()
        .filter(|_| row.merging.state(row.status, row.status_since) == Some(MergeState::Landed));
    let at_forge = stage::lifecycle(row).stage == Stage::Merged;
    let at = landed
        .map(|last| last.at)
        .or(at_forge.then_some(row.status_since));
    at.map(|at| at.max(row.status_since))
}

/// Says in a word or two how a worker did.
fn outcome(row: &SessionRow) -> String {
    match &row.result {
        None if merged_at(row).is_some() => "is merged".to_owned(),
        Some(_) if report::done(row).is_some_and(|done| done.is_verified()) => "is verified".to_owned(),
        Some(last) if last.report.status == ReportStatus::Done => "said done".to_owned(),
        Some(last) => format!("reported {}", last.report.status.as_str()),
        None => row.status.as_str().to_owned(),
    }
}

/// Whether somebody asked for the end of a session, or a one-shot run did what it was to do.
fn was_ended(row: &SessionRow) -> bool {
    let by_itself = row.status_evidence.source == EvidenceSource::Process || row.status == Status::Errored;
    !by_itself || row.one_shot && row.exit_code == Some(0)
}

/// Returns the result of the checks of a session; `None` while nothing shows it.
fn result(row: &SessionRow, last: &Verification) -> Option<(CheckResult, Timestamp)> {
    let green = match row.checks.state()? {
        ChecksState::Green => true,
        ChecksState::Red => false,
        ChecksState::Waiting | ChecksState::Running | ChecksState::Error => return None,
    };
    let result = CheckResult {
        tree: Oid::parse(&last.tree)?,
        hash: last.hash.clone(),
        green,
    };
    Some((result, last.finished_at))
}

/// Returns whether an agent has nothing to do and nothing to read.
#[must_use]
pub fn is_at_rest(state: &State, row: &SessionRow) -> bool {
    let rests = matches!(row.status, Status::Idle | Status::Exited);
    rests && mailbox::open(state, &row.id).next().is_none()
}

/// Returns the commit of a session that waits to be merged in the project's repository, and the time since which it does.
/// It does not while its agent is at work or has a message to read, which may ask for something else. Work that ever had a
/// pull request is merged or rejected there.
fn mergeable(state: &State, row: &SessionRow) -> Option<(Oid, Timestamp)> {
    let done = report::done(row).filter(Done::is_verified)?;
    let commit = &row.checks.last.as_ref()?.commit;
    let waits = lands_here(row, commit) && is_at_rest(state, row) && !review::asks_for_changes(row, commit);
    let since = done.at.max(row.status_since);
    waits.then_some((Oid::parse(commit)?, since))
}

/// Returns whether a commit of a session would land in the project's repository, where it is not yet.
fn lands_here(row: &SessionRow, commit: &str) -> bool {
    let merged = row.merging.last.as_ref().filter(|last| {
        let is_in = matches!(last.outcome, MergeOutcome::Landed | MergeOutcome::Contained);
        is_in && last.head == *commit
    });
    row.workspace == Workspace::Worktree && row.pulls.is_empty() && merged.is_none()
}

/// Returns the number of the review that requests changes, and its time. Of work that ever had a pull request, its page says what
/// is requested.
fn changes_requested(row: &SessionRow) -> Option<(u32, Timestamp)> {
    let review = row.review.as_ref().filter(|_| row.pulls.is_empty())?;
    (review.verdict == ReviewVerdict::ChangesRequested).then_some((review.number, review.at))
}

/// Returns the commit that the person approved and that waits to be merged in the project's repository, with the number of the
/// review, and the time since which it does.
fn approved(state: &State, row: &SessionRow) -> Option<(u32, Oid, Timestamp)> {
    let (review, since) = review::ready(row)?;
    let rests = is_at_rest(state, row) || row.status.is_ended();
    let waits = lands_here(row, &review.commit) && rests;
    let since = since.max(row.status_since);
    waits.then_some((review.number, Oid::parse(&review.commit)?, since))
}

/// Returns the word of a budget.
fn word(scope: BudgetScope) -> &'static str {
    match scope {
        BudgetScope::Session => "session",
        BudgetScope::Subtree => "subtree",
        BudgetScope::ProjectDay => "project",
    }
}
