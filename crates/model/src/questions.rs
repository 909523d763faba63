//! The open questions of a session, and what closes them. Pure. Not which activity follows from a
//! question: see `observe.rs`.
//!
//! Several questions may be open, since an agent and its sub-agents work side by side; the agent shows
//! the oldest. A hook closes only the questions of its own call, agent or sub-agent. What speaks for the
//! whole agent (an end of its turn, a failure, a screen that shows no question after a key) closes all of them.
//!
//! A question in prose ends a turn. The next turn closes it; a hook that merely repeats that the agent
//! is idle does not.

use crate::fact::{About, Fact, FactKind};
use crate::status::{Evidence, EvidenceSource, Question, QuestionKind};
use serde::{Deserialize, Serialize};

/// The maximum number of questions that are kept. Nobody runs more sub-agents at once; a further question
/// shows when it is asked again, or stays on the agent's own screen.
pub(crate) const MAX_OPEN: usize = 32;

/// A question with the agent or call that asks it, and the evidence that it is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenQuestion {
    /// The question.
    pub question: Question,
    /// The agent, sub-agent or call that asks.
    pub about: About,
    /// The fact that opened the question.
    pub evidence: Evidence,
}

impl OpenQuestion {
    /// Returns the question as `fact` opens it.
    pub(crate) fn asked_by(fact: &Fact, question: &Question) -> Self {
        Self {
            question: question.clone(),
            about: fact.about.clone(),
            evidence: fact.evidence(),
        }
    }

    /// Returns whether the question was asked in prose, at the end of a turn.
    #[must_use]
    pub fn is_prose(&self) -> bool {
        self.question.kind == QuestionKind::Asks
    }
}

/// Returns which questions of `open` are open after `fact`, and the question that it asks.
/// `sub_agents_at_work` says whether sub-agents continue to work after the agent's turn.
pub(crate) fn open_after(open: &[OpenQuestion], fact: &Fact, sub_agents_at_work: bool) -> Vec<OpenQuestion> {
    let keep = |stays: &dyn Fn(&OpenQuestion) -> bool| -> Vec<OpenQuestion> {
        open.iter().filter(|open| stays(open)).cloned().collect()
    };
    let ended = |open: &OpenQuestion| fact.about.ends(&open.about);
    match &fact.kind {
        // A turn that ends with a question in prose left no other question open.
        FactKind::Asked(question) if question.kind == QuestionKind::Asks => {
            vec![OpenQuestion::asked_by(fact, question)]
        }
        FactKind::Asked(question) => {
            // The same call asks once, however often its hook reports it. An agent that asks for a tool did
            // not wait for the answer to its question in prose.
            let mut open = keep(&|open| open.about != fact.about && !open.is_prose());
            if open.len() < MAX_OPEN {
                open.push(OpenQuestion::asked_by(fact, question));
            }
            open
        }
        FactKind::TurnStarted | FactKind::Working | FactKind::Runs(_) => {
            keep(&|open| !ended(open) && !open.is_prose())
        }
        FactKind::SubAgent | FactKind::SubAgentWorks => keep(&|open| !ended(open)),
        FactKind::QuestionClosed if fact.source == EvidenceSource::Hook => keep(&|open| !ended(open)),
        FactKind::TurnEnded if !fact.about.ended && open.first().is_some_and(OpenQuestion::is_prose) => {
            open.to_vec()
        }
        FactKind::TurnEnded if sub_agents_at_work => keep(&|open| open.about.sub_agent.is_some()),
        FactKind::QuestionClosed
        | FactKind::TurnEnded
        | FactKind::Ready(_)
        | FactKind::Cleared
        | FactKind::Blocked(_)
        | FactKind::Retrying(_)
        | FactKind::Limited(_)
        | FactKind::ConversationEnded => Vec::new(),
        // No other fact answers a question.
        _ => open.to_vec(),
    }
}

#[cfg(test)]
#[path = "questions_tests.rs"]
mod tests;
