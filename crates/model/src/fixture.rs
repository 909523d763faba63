//! Facts, histories and questions for the tests of this crate.

use crate::fact::{About, Fact, FactKind};
use crate::observe::Observed;
use crate::retry::Retry;
use crate::status::{Activity, EvidenceSource, Question, QuestionKind};
use crate::usage_limit::UsageLimit;
use jiff::Timestamp;

pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// A fact from a hook, still without a time.
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

    /// The fact of a tool call that goes on.
    pub fn in_call(mut self, call: &str) -> Self {
        self.about.call = Some(call.into());
        self
    }

    /// The fact as the end of its call or, without a call, of all that its agent or sub-agent did.
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
    /// What is known once `facts` came, a second apart, after the process started at second 0.
    pub fn of(facts: &[Fact]) -> Self {
        Self::started(at(0)).then(facts)
    }

    /// What is known once `facts` came, a second apart, after the last that is known.
    pub fn then(self, facts: &[Fact]) -> Self {
        let last = self.time_in_order(self.own_at.unwrap_or(self.since)).as_second();
        facts
            .iter()
            .zip(last + 1..)
            .fold(self, |seen, (fact, second)| seen.after(&fact.clone().at(second)))
    }

    /// The activity, and the question that the agent shows.
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

/// A dialog that asks for the permission to do something.
pub fn asks(text: &str) -> FactKind {
    FactKind::Asked(question(QuestionKind::Permission, text))
}

/// A question in prose at the end of a turn.
pub fn asks_in_prose(text: &str) -> FactKind {
    FactKind::Asked(question(QuestionKind::Asks, text))
}

/// A question that a worker leaves for its conductor.
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

/// A retry at this second, after a failure that is no usage limit.
pub fn retries(next: Option<i64>) -> FactKind {
    FactKind::Retrying(Retry {
        text: "Overloaded".into(),
        at: next.map(at),
        ..Retry::default()
    })
}

/// A retry at this second, after a usage limit.
pub fn retries_after_limit(next: Option<i64>) -> FactKind {
    FactKind::Retrying(Retry {
        text: "Too Many Requests".into(),
        at: next.map(at),
        by_limit: true,
        ..Retry::default()
    })
}
