//! Sub-agents that may work on after the turn of their agent, as those of Codex do. Pure. Of agents that
//! tell themselves whether any still works, nothing is kept here.
//!
//! The end of one that failed is told by no hook: its own transcript tells it. What was not told at all is
//! forgotten with the next turn of its agent.

use crate::fact::{Fact, FactKind};
use crate::observe::evidence_of;
use crate::status::{Evidence, QuestionKind};
use serde::{Deserialize, Serialize};

/// The most that are kept; nobody runs more at once.
const MOST: usize = 32;

/// See the module.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubAgents {
    /// Those that work, by the agent's own ids.
    working: Vec<String>,
    /// Whether the agent's own turn is over.
    turn_over: bool,
}

impl SubAgents {
    /// Whether any works.
    #[must_use]
    pub fn any(&self) -> bool {
        !self.working.is_empty()
    }

    /// Whether this one works.
    #[must_use]
    pub fn works(&self, id: &str) -> bool {
        self.working.iter().any(|other| other == id)
    }

    /// Takes a fact in; whether it is the end of the last one, behind the end of the agent's own turn.
    pub fn take(&mut self, fact: &Fact) -> bool {
        let about = &fact.about;
        match (&fact.kind, &about.sub_agent) {
            (FactKind::SubAgentWorks, Some(id))
                if self.working.len() < MOST && !self.working.contains(id) =>
            {
                self.working.push(id.clone());
            }
            (FactKind::SubAgent, Some(id)) if about.ended && about.call.is_none() => {
                let before = self.any();
                self.working.retain(|other| other != id);
                return before && !self.any() && std::mem::take(&mut self.turn_over);
            }
            (FactKind::TurnStarted, None) => *self = Self::default(),
            (FactKind::Ready(_) | FactKind::ConversationEnded | FactKind::Cleared, None) => {
                *self = Self::default();
            }
            (FactKind::TurnEnded, None) => self.turn_over = true,
            (FactKind::Asked(question), None) if question.kind == QuestionKind::Asks => {
                self.turn_over = true;
            }
            (FactKind::Working, None) => self.turn_over = false,
            _ => {}
        }
        false
    }

    /// What a status rests on after `fact`.
    #[must_use]
    pub fn evidence(&self, fact: &Fact) -> Evidence {
        let mut evidence = evidence_of(fact);
        let behind = match self.working.len() {
            1 => "1 sub-agent still works".to_owned(),
            n => format!("{n} sub-agents still work"),
        };
        if fact.kind == FactKind::TurnEnded && self.any() {
            evidence.detail = format!("{}: {behind}", evidence.detail);
        }
        evidence
    }
}
