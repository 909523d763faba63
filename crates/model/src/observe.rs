//! Folds facts into what is known of a live session. Pure: the same facts give the same answer.
//!
//! The rule of evidence: hooks open states; a newer title, keystroke or screen may *close* a
//! question, since an agent fires no hook when a person presses Esc; where an agent has hooks,
//! output alone never opens or closes anything.

use crate::fact::{Fact, FactKind};
use crate::status::{Activity, Evidence, EvidenceSource, Question};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What is known of a live session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// What it does.
    pub activity: Activity,
    /// Why we say so.
    pub evidence: Evidence,
    /// Since when the activity is what it is.
    pub since: Timestamp,
    /// The open question, while `activity` is waiting.
    pub question: Option<Question>,
    /// Whether a hook of this agent was ever heard: from then on, output says nothing.
    pub has_hooks: bool,
}

impl Observed {
    /// A session whose process was started at `at` and of which nothing is known yet.
    pub fn started(at: Timestamp) -> Self {
        let evidence = Evidence {
            source: EvidenceSource::Process,
            detail: "process started".into(),
            at,
        };
        Self {
            activity: Activity::Unknown,
            evidence,
            since: at,
            question: None,
            has_hooks: false,
        }
    }

    /// What is known after `fact`. A fact older than the evidence in hand changes nothing.
    #[must_use]
    pub fn after(mut self, fact: &Fact) -> Self {
        if fact.at < self.evidence.at {
            return self;
        }
        self.has_hooks |= fact.source == EvidenceSource::Hook;
        let Some(next) = self.next(fact) else {
            return self;
        };
        if next != self.activity {
            self.since = fact.at;
        }
        self.activity = next;
        self.question = match &fact.kind {
            FactKind::Asked(question) => Some(question.clone()),
            _ if next == Activity::WaitingInput => self.question,
            _ => None,
        };
        self.evidence = Evidence {
            source: fact.source,
            detail: fact.detail.clone(),
            at: fact.at,
        };
        self
    }

    /// The activity that `fact` gives, or `None` where it gives none.
    fn next(&self, fact: &Fact) -> Option<Activity> {
        let weak = self.has_hooks && fact.source == EvidenceSource::Output;
        match &fact.kind {
            _ if weak => None,
            FactKind::Ready(_) => Some(Activity::Ready),
            FactKind::TurnStarted | FactKind::Working => Some(Activity::Active),
            // A background sub-agent may end after its parent's turn: that opens nothing new.
            FactKind::SubAgent if self.activity == Activity::Idle => None,
            FactKind::SubAgent => Some(Activity::Active),
            FactKind::Asked(_) => Some(Activity::WaitingInput),
            FactKind::QuestionClosed if self.activity == Activity::WaitingInput => Some(Activity::Active),
            FactKind::QuestionClosed => None,
            FactKind::TurnEnded => Some(Activity::Idle),
            FactKind::Blocked(_) => Some(Activity::Blocked),
            FactKind::ConversationEnded => Some(Activity::Unknown),
            FactKind::Output if self.activity == Activity::WaitingInput => None,
            FactKind::Output => Some(Activity::Active),
            FactKind::Quiet if self.activity == Activity::WaitingInput => None,
            FactKind::Quiet => Some(Activity::Unknown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::{QuestionKind, Status};

    fn fact(second: i64, source: EvidenceSource, kind: FactKind) -> Fact {
        let at = Timestamp::from_second(second).unwrap();
        Fact {
            at,
            source,
            detail: format!("{kind:?}"),
            kind,
        }
    }

    fn question() -> Question {
        Question {
            kind: QuestionKind::Permission,
            text: "Bash: ls".into(),
            options: vec![],
        }
    }

    fn run(facts: &[(EvidenceSource, FactKind)]) -> Observed {
        let start = Observed::started(Timestamp::from_second(0).unwrap());
        facts.iter().enumerate().fold(start, |seen, (i, (source, kind))| {
            seen.after(&fact(i as i64 + 1, *source, kind.clone()))
        })
    }

    use EvidenceSource::{Hook, Input, Output};

    #[test]
    fn a_turn_with_a_question() {
        let mut facts = vec![(Hook, FactKind::Ready(None))];
        assert_eq!(run(&facts).activity.status(), Status::Idle);
        facts.push((Hook, FactKind::TurnStarted));
        assert_eq!(run(&facts).activity.status(), Status::Running);
        facts.push((Hook, FactKind::Asked(question())));
        assert_eq!(run(&facts).activity.status(), Status::Waiting);
        assert_eq!(run(&facts).question, Some(question()));
        facts.push((Hook, FactKind::Working));
        assert_eq!(run(&facts).question, None);
        facts.push((Hook, FactKind::TurnEnded));
        let seen = run(&facts);
        assert_eq!(seen.activity, Activity::Idle);
        assert_eq!(seen.since, seen.evidence.at);
    }

    #[test]
    fn output_neither_opens_nor_closes_where_hooks_speak() {
        let asked = run(&[(Hook, FactKind::Asked(question())), (Output, FactKind::Output)]);
        assert_eq!(asked.activity, Activity::WaitingInput);
        let idle = run(&[(Hook, FactKind::TurnEnded), (Output, FactKind::Output)]);
        assert_eq!(idle.activity, Activity::Idle);
        let blind = run(&[(Output, FactKind::Output), (Output, FactKind::Quiet)]);
        assert_eq!(blind.activity, Activity::Unknown);
    }

    #[test]
    fn a_key_closes_a_question_and_an_old_fact_changes_nothing() {
        let open = run(&[(Hook, FactKind::Asked(question()))]);
        let closed = open.clone().after(&fact(9, Input, FactKind::QuestionClosed));
        assert_eq!((closed.activity, closed.question), (Activity::Active, None));
        let stale = open.clone().after(&fact(0, Hook, FactKind::TurnEnded));
        assert_eq!(stale, open);
    }

    #[test]
    fn a_late_sub_agent_does_not_reopen_a_finished_turn() {
        let seen = run(&[
            (Hook, FactKind::TurnStarted),
            (Hook, FactKind::SubAgent),
            (Hook, FactKind::TurnEnded),
            (Hook, FactKind::SubAgent),
        ]);
        assert_eq!(seen.activity, Activity::Idle);
    }
}
