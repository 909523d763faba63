//! Facts, histories and questions for the tests of this crate.

use crate::fact::{About, Fact, FactKind};
use crate::fold::Fold as _;
use crate::observe::Observed;
use crate::retry::Retry;
use crate::status::{Activity, EvidenceSource, Question, QuestionKind};
use crate::usage_limit::UsageLimit;
use jiff::Timestamp;

pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// Returns a fact from a hook, still without a time.
pub fn hook(kind: FactKind) -> Fact {
    seen_by(EvidenceSource::Hook, kind)
}

pub fn seen_by(source: EvidenceSource, kind: FactKind) -> Fact {
    Fact {
        at: at(0),
        source,
        detail: format!("{kind:?}"),
        kind,
        about: About::default(),
    }
}

impl Fact {
    pub fn by(mut self, sub_agent: &str) -> Self {
        self.about.sub_agent = Some(sub_agent.into());
        self
    }

    /// Returns the fact with a tool call that has not ended.
    pub fn in_call(mut self, call: &str) -> Self {
        self.about.call = Some(call.into());
        self
    }

    /// Returns the fact as the end of its call or, without a call, of all work of its agent or sub-agent.
    pub fn as_end(mut self) -> Self {
        self.about.ended = true;
        self
    }

    pub fn at(mut self, second: i64) -> Self {
        self.at = at(second);
        self
    }
}

impl Observed {
    /// Returns the observation after `facts`, a second apart, of a process that started at second 0.
    pub fn of(facts: &[Fact]) -> Self {
        Self::started(at(0)).then(facts)
    }

    /// Returns the observation after `facts`, a second apart, which follow its last fact.
    pub fn then(self, facts: &[Fact]) -> Self {
        let last = self.time_in_order(self.own_at.unwrap_or(self.since)).as_second();
        facts
            .iter()
            .zip(last + 1..)
            .fold(self, |seen, (fact, second)| seen.after(&fact.clone().at(second)))
    }

    /// Returns the activity, and the question that the agent shows.
    pub fn shows(&self) -> (Activity, Option<&str>) {
        (
            self.activity,
            self.question().map(|question| question.text.as_str()),
        )
    }
}

pub fn question(kind: QuestionKind, text: &str) -> Question {
    Question {
        kind,
        text: text.into(),
        options: Vec::new(),
    }
}

/// Returns a dialog that asks for a permission.
pub fn asks(text: &str) -> FactKind {
    FactKind::Asked(question(QuestionKind::Permission, text))
}

/// Returns a question in prose at the end of a turn.
pub fn asks_in_prose(text: &str) -> FactKind {
    FactKind::Asked(question(QuestionKind::Asks, text))
}

/// Returns a question that a worker leaves for its conductor.
pub fn leaves(text: &str) -> FactKind {
    FactKind::Left(question(QuestionKind::Asks, text))
}

pub fn limited(ends: Option<i64>) -> FactKind {
    FactKind::Limited(UsageLimit {
        text: "You've hit your limit".into(),
        resets_at: ends.map(at),
    })
}

pub fn fails() -> FactKind {
    FactKind::Blocked("Invalid API key".into())
}

/// Returns a retry at this second, after a failure other than a usage limit.
pub fn retries(next: Option<i64>) -> FactKind {
    FactKind::Retrying(Retry {
        text: "Overloaded".into(),
        at: next.map(at),
        ..Retry::default()
    })
}

/// Returns a retry at this second, after a usage limit.
pub fn retries_after_limit(next: Option<i64>) -> FactKind {
    FactKind::Retrying(Retry {
        text: "Too Many Requests".into(),
        at: next.map(at),
        by_limit: true,
        ..Retry::default()
    })
}
