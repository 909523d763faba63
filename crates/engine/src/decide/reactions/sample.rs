//! What a simulation of a rule is about: a pull request or a session to which an event is assumed to happen, again and
//! again. Not what the rule does about it.

use crate::decide::reactions::matter::{Matter, SessionMatter};
use crate::decide::reactions::text::Cause;
use downbeat_model::pull::{
    Check, CheckState, Checks, Comment, Mergeable, Pull, PullState, Review, ReviewDecision, ReviewState,
    SeenPull, Thread,
};
use downbeat_model::queue::CheckResult;
use downbeat_model::reactions::{Complete, Event, SessionFacts};
use downbeat_model::verification::{self, CheckOutcome, Verification};
use downbeat_model::{Fold as _, Oid, Status};
use jiff::Timestamp;

/// An assumed pull request or session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sample {
    /// A pull request.
    Pull(Box<Pull>),
    /// A session.
    Session(Box<SessionMatter>),
}

/// The name of the check that fails.
const CHECK: &str = "test";

impl Sample {
    /// Returns what an event has happened to for the `round`th time, at `at`. `detail` is the label or the budget; `seen`
    /// the pull request that it happens to, if there is one. `None` if it cannot be made up.
    #[must_use]
    pub fn of(
        event: Event,
        detail: &str,
        round: u32,
        at: Timestamp,
        seen: Option<&SeenPull>,
    ) -> Option<Self> {
        match event.is_of_pull() {
            true => Some(Self::Pull(Box::new(pull(event, detail, round, at, seen)?))),
            false => Some(Self::Session(Box::new(session(event, detail, round, at)?))),
        }
    }

    /// Returns it as what reactions are about.
    #[must_use]
    pub fn matter(&self) -> Matter<'_> {
        match self {
            Self::Pull(pull) => Matter::Pull(pull),
            Self::Session(session) => Matter::Session(session),
        }
    }

    /// Returns why its checks failed.
    #[must_use]
    pub fn causes(&self) -> Vec<Cause> {
        let Self::Pull(pull) = self else {
            return Vec::new();
        };
        let failed = pull.seen.iter().flat_map(|seen| seen.checks.failed());
        let cause = |check: &Check| Cause {
            of: check.id.clone(),
            step: Some("Run tests".to_owned()),
            output: OUTPUT.to_owned(),
        };
        failed.map(cause).collect()
    }
}

/// The assumed end of a log.
const OUTPUT: &str = "(the end of its log)";

fn commit(number: u32) -> Option<Oid> {
    Oid::parse(&format!("{number:040x}"))
}

fn pull(event: Event, detail: &str, round: u32, at: Timestamp, real: Option<&SeenPull>) -> Option<Pull> {
    let head = commit(round)?;
    let mut seen = match real {
        Some(real) => SeenPull {
            reviews: Vec::new(),
            threads: Vec::new(),
            comments: Vec::new(),
            ..real.clone()
        },
        None => example(&head, at)?,
    };
    seen.state = PullState::Open;
    seen.is_gone = false;
    seen.denied = None;
    seen.is_draft = false;
    seen.is_behind = false;
    seen.mergeable = Mergeable::Yes;
    seen.decision = ReviewDecision::Approved;
    seen.head = head.clone();
    seen.checks = checks(head, round, CheckState::Passed, at);
    match event {
        Event::CiFailed => seen.checks = checks(seen.head.clone(), round, CheckState::Failed, at),
        Event::ChangesRequested | Event::BugbotComments => {
            let is_bot = event == Event::BugbotComments;
            seen.decision = ReviewDecision::ChangesRequested;
            seen.threads = vec![thread(round, is_bot, at)];
            seen.reviews = vec![review(round, is_bot)];
        }
        Event::MergeConflicts => seen.mergeable = Mergeable::Conflicts,
        Event::LabelAdded => seen.labels = vec![detail.to_owned()],
        Event::PrClosed => seen.state = PullState::Closed,
        Event::PrMerged => seen.state = PullState::Merged,
        _ => {}
    }
    Some(Pull::unseen().after(&seen))
}

fn example(head: &Oid, at: Timestamp) -> Option<SeenPull> {
    Some(SeenPull {
        number: 12,
        url: "https://example.com/pull/12".to_owned(),
        title: "An example".to_owned(),
        state: PullState::Open,
        is_gone: false,
        denied: None,
        is_draft: false,
        head: head.clone(),
        head_branch: "feature/example".to_owned(),
        head_repository: None,
        base_branch: "main".to_owned(),
        base: commit(0),
        mergeable: Mergeable::Yes,
        is_behind: false,
        is_queued: false,
        queue_place: None,
        decision: ReviewDecision::Approved,
        reviews: Vec::new(),
        threads: Vec::new(),
        beyond: 0,
        comments: Vec::new(),
        checks: checks(head.clone(), 0, CheckState::Passed, at),
        labels: Vec::new(),
        updated_at: at,
    })
}

fn checks(commit: Oid, round: u32, state: CheckState, at: Timestamp) -> Checks {
    let check = Check {
        id: format!("example-{round}"),
        name: CHECK.to_owned(),
        is_required: true,
        state,
        ended_at: Some(at),
    };
    Checks {
        commit,
        all: vec![check],
        are_expected: Some(true),
    }
}

fn thread(round: u32, is_bot: bool, at: Timestamp) -> Thread {
    let comment = Comment {
        id: format!("comment-{round}"),
        author: "a-reviewer".to_owned(),
        is_bot,
        is_ours: false,
        is_of_review: true,
        text: "(what the reviewer wrote)".to_owned(),
        at,
    };
    Thread {
        id: format!("thread-{round}"),
        file: Some("src/example.rs".to_owned()),
        line: Some(7),
        is_resolved: false,
        comments: vec![comment],
        has_earlier: false,
    }
}

fn review(round: u32, is_bot: bool) -> Review {
    Review {
        id: format!("review-{round}"),
        author: "a-reviewer".to_owned(),
        is_bot,
        state: ReviewState::ChangesRequested,
        text: String::new(),
    }
}

fn session(event: Event, detail: &str, round: u32, at: Timestamp) -> Option<SessionMatter> {
    let happens = |to: Event| (event == to).then_some(at);
    // Each failure is about other work; what passed is the same.
    let tree = commit(if event == Event::ChecksFailed { round } else { 1 })?;
    let red = (event == Event::ChecksFailed).then(|| verification(&tree, at));
    Some(SessionMatter {
        facts: SessionFacts {
            status: match event {
                Event::AgentIdle => Status::Idle,
                Event::AgentExited => Status::Exited,
                Event::AgentNeedsInput | Event::UsageLimit => Status::Waiting,
                Event::BudgetReached => Status::Paused,
                _ => Status::Running,
            },
            status_since: at,
            was_ended: false,
            question_since: happens(Event::AgentNeedsInput),
            quiet_since: happens(Event::AgentStuck),
            limit_since: happens(Event::UsageLimit),
            budgets: happens(Event::BudgetReached)
                .map(|at| (detail.to_owned(), at))
                .into_iter()
                .collect(),
            checks: red.is_some().then(|| {
                let result = CheckResult {
                    tree: tree.clone(),
                    hash: String::new(),
                    green: false,
                };
                (result, at)
            }),
            mergeable: happens(Event::ChecksPassed).map(|at| (tree.clone(), at)),
            // The sample of a review is a pull request.
            changes_requested: None,
            approved: None,
            workers: happens(Event::AllComplete).map(|at| Complete {
                open: 0,
                since: Some(at),
            }),
        },
        question: Some("(its question)".to_owned()),
        end: "exit code 1".to_owned(),
        limit: Some("(the words of its agent)".to_owned()),
        budget: Some(format!("the budget of the {detail} is used up")),
        checks: red,
        review: None,
        workers: vec![("example".to_owned(), "is verified".to_owned())],
        project: None,
    })
}

fn verification(tree: &Oid, at: Timestamp) -> Verification {
    let check = verification::CheckResult {
        name: CHECK.to_owned(),
        command: CHECK.to_owned(),
        required: true,
        outcome: CheckOutcome::Failed,
        exit_code: Some(1),
        millis: 0,
        excerpt: OUTPUT.to_owned(),
    };
    Verification {
        commit: tree.as_str().to_owned(),
        tree: tree.as_str().to_owned(),
        hash: String::new(),
        uncommitted: 0,
        started_at: at,
        finished_at: at,
        checks: vec![check],
        error: None,
    }
}

#[cfg(test)]
mod tests {
    use super::Sample;
    use crate::state::example::at;
    use downbeat_model::reactions::{Event, Standing};

    /// Each event stands, and happens anew in the next round.
    #[test]
    fn each_event_happens_to_its_sample() {
        for event in Event::ALL {
            let names = |round: u32| {
                let sample = Sample::of(event, "x", round, at(i64::from(round)), None).unwrap();
                let cases = sample.matter().cases();
                let case = cases.into_iter().find(|case| case.event == event).unwrap();
                assert_eq!(case.standing, Standing::Open, "{event:?}");
                case.items.into_iter().map(|item| item.name).collect::<Vec<_>>()
            };
            let (first, second) = (names(1), names(2));
            let is_state = matches!(
                event,
                Event::LabelAdded
                    | Event::PrOpened
                    | Event::PrClosed
                    | Event::PrMerged
                    | Event::ChecksPassed
                    | Event::AllComplete
            );
            assert_eq!(first == second, is_state, "{event:?}");
        }
    }
}
