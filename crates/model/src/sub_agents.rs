//! Sub-agents that may continue to work after the turn of their agent, as those of Codex do. Pure. Agents
//! that report by themselves whether a sub-agent is still working have none listed here.
//!
//! No hook reports the end of a sub-agent that failed: its own transcript does. A sub-agent whose end was
//! never reported is forgotten with the next turn of its agent.

use crate::fact::{Fact, FactKind};
use crate::status::{Evidence, QuestionKind};
use serde::{Deserialize, Serialize};

/// The maximum number of sub-agents that are kept; nobody runs more at once.
const MAX_AT_WORK: usize = 32;

/// The sub-agents of a session that are at work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubAgents {
    /// The sub-agents at work, by the agent's own ids.
    working: Vec<String>,
    /// True once the agent's own turn is over.
    turn_over: bool,
}

impl SubAgents {
    /// Returns whether any sub-agent is at work.
    #[must_use]
    pub fn any_at_work(&self) -> bool {
        !self.working.is_empty()
    }

    /// Returns whether the sub-agent `id` is at work.
    #[must_use]
    pub fn is_at_work(&self, id: &str) -> bool {
        self.working.iter().any(|other| other == id)
    }

    /// Applies a fact. Returns whether all work is over with it: the last sub-agent ended, and the agent's
    /// own turn had ended before.
    pub(crate) fn apply(&mut self, fact: &Fact) -> bool {
        let about = &fact.about;
        match (&fact.kind, &about.sub_agent) {
            (FactKind::SubAgentWorks, Some(id)) if self.has_room_for(id) => self.working.push(id.clone()),
            (FactKind::SubAgent, Some(id)) if about.ended && about.call.is_none() => {
                let before = self.any_at_work();
                self.working.retain(|other| other != id);
                return before && !self.any_at_work() && std::mem::take(&mut self.turn_over);
            }
            (
                FactKind::TurnStarted | FactKind::Ready(_) | FactKind::ConversationEnded | FactKind::Cleared,
                None,
            ) => *self = Self::default(),
            (FactKind::TurnEnded, None) => self.turn_over = true,
            (FactKind::Asked(question), None) if question.kind == QuestionKind::Asks => {
                self.turn_over = true;
            }
            (FactKind::Working, None) => self.turn_over = false,
            _ => {}
        }
        false
    }

    fn has_room_for(&self, id: &str) -> bool {
        self.working.len() < MAX_AT_WORK && !self.is_at_work(id)
    }

    /// Returns the evidence of `fact`, which names the sub-agents that still work after a finished turn.
    #[must_use]
    pub(crate) fn evidence(&self, fact: &Fact) -> Evidence {
        let mut evidence = fact.evidence();
        if fact.kind == FactKind::TurnEnded && self.any_at_work() {
            let behind = match self.working.len() {
                1 => "1 sub-agent is still working".to_owned(),
                n => format!("{n} sub-agents are still working"),
            };
            evidence.detail = format!("{}: {behind}", evidence.detail);
        }
        evidence
    }
}

#[cfg(test)]
#[path = "sub_agents_tests.rs"]
mod tests;
