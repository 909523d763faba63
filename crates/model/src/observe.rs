//! Folds facts into what is known of a live session. Pure: the same facts give the same answer.
//!
//! Facts come in the order in which their keeper wrote them down or saw them, and count in that
//! order: the clock that stamped them may have been set back meanwhile.
//!
//! The rule of evidence: hooks open states; a newer title, keystroke or screen may *close* a
//! question, since an agent fires no hook when a person presses Esc; where an agent has hooks,
//! output alone never opens or closes anything.
//!
//! Several questions may be open, since an agent and its sub-agents work side by side; the agent
//! shows the oldest. A hook closes only what is its own: the end of the call that was asked about,
//! or of the agent or sub-agent that asked. A rest of the whole agent closes all, and so does a
//! screen that shows no question after a key.
//!
//! A question in prose is what a finished turn left behind. The next turn closes it, and nothing
//! that merely repeats that the agent rests. The same holds of one that cannot go on: work, a new
//! turn, or the end of all that it did closes it.

use crate::fact::{About, Fact, FactKind};
use crate::retry::Retry;
use crate::status::{Activity, Evidence, EvidenceSource, Question, QuestionKind, Status};
use crate::sub_agents::SubAgents;
use crate::tasks::Tasks;
use crate::tools::ToolsState;
use crate::usage_limit::{Limited, UsageLimit};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// The most questions that are kept. Nobody runs more sub-agents at once; a question beyond shows
/// when it is asked again, or stays on the agent's own screen.
const MAX_OPEN: usize = 32;

/// Between two facts of which the clock says that they came the other way round.
const TICK: SignedDuration = SignedDuration::from_micros(1);

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
    /// The open questions, oldest first; empty unless `activity` is waiting.
    #[serde(default)]
    pub open: Vec<OpenQuestion>,
    /// A question that it left for its conductor and that opens when its turn ends.
    #[serde(default)]
    pub left: Option<OpenQuestion>,
    /// Whether a hook of this agent was ever heard: from then on, output says nothing.
    pub has_hooks: bool,
    /// What it says that it is at.
    #[serde(default)]
    pub tasks: Tasks,
    /// Its sub-agents, where those may work on after its turn.
    #[serde(default)]
    pub sub_agents: SubAgents,
    /// When it last told of itself, and not of a sub-agent's work.
    #[serde(default)]
    pub own_at: Option<Timestamp>,
    /// Why it seems stuck, where it works and nothing new was seen for long.
    #[serde(default)]
    pub stuck: Option<Evidence>,
    /// The usage limit that it ran into and that nothing has shown to be over.
    #[serde(default)]
    pub limit: Option<Limited>,
    /// How often it ran into one since it finished a turn.
    #[serde(default)]
    pub refusals: u32,
    /// How far it is with the tools that it was given; `None` where it was given none.
    #[serde(default)]
    pub tools: Option<ToolsState>,
    /// Why it cannot go on, in its own words, where it said.
    #[serde(default)]
    pub blocked: Option<String>,
    /// That it asks its model again by itself, where it said so.
    #[serde(default)]
    pub retry: Option<Retry>,
    /// Its last answer, or the end of it, since it took its last message.
    #[serde(default)]
    pub answer: Option<String>,
}

/// A question, with what may close it and why we say that it is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenQuestion {
    /// The question.
    pub question: Question,
    /// Whose it is.
    pub about: About,
    /// What opened it.
    pub evidence: Evidence,
}

impl OpenQuestion {
    /// Whether it was asked in prose, at the end of a turn.
    #[must_use]
    pub fn is_prose(&self) -> bool {
        self.question.kind == QuestionKind::Asks
    }
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
            open: Vec::new(),
            left: None,
            has_hooks: false,
            tasks: Tasks::default(),
            sub_agents: SubAgents::default(),
            own_at: None,
            stuck: None,
            limit: None,
            refusals: 0,
            tools: None,
            blocked: None,
            retry: None,
            answer: None,
        }
    }

    /// The question that the agent shows.
    #[must_use]
    pub fn question(&self) -> Option<&Question> {
        self.open.first().map(|open| &open.question)
    }

    /// Whether the agent ended its turn with a question in prose that is still open.
    #[must_use]
    pub fn is_prose(&self) -> bool {
        self.open.first().is_some_and(OpenQuestion::is_prose)
    }

    /// Whether an error that ended a turn at `at` ended the one that it is in: nothing that it told of
    /// itself came later. What its sub-agents do meanwhile says nothing of its own turn.
    #[must_use]
    pub fn fails(&self, at: Timestamp) -> bool {
        self.activity == Activity::Active && at >= self.own_at.unwrap_or(self.evidence.at)
    }

    /// The time of something that came after all that is known, as the clock tells it or, where
    /// that was set back, as late as the last that is known.
    #[must_use]
    pub fn not_before(&self, at: Timestamp) -> Timestamp {
        at.max(self.evidence.at).max(self.since)
    }

    /// What is known after `fact`, which came after all that is known.
    #[must_use]
    pub fn after(mut self, fact: &Fact) -> Self {
        let last = self.not_before(Timestamp::MIN);
        if fact.at < last {
            // Later than the last one, so that what came in between is told apart.
            let at = last.checked_add(TICK).unwrap_or(last);
            return self.after(&Fact { at, ..fact.clone() });
        }
        self.has_hooks |= fact.source == EvidenceSource::Hook;
        if self.tasks.take(&fact.kind) {
            return self;
        }
        if let Some(told) = ToolsState::told(&fact.kind) {
            self.tools = self.tools.map(|known| known.after(told));
            return self;
        }
        if let FactKind::Answered(text) = &fact.kind {
            self.answer = Some(text.clone());
            return self;
        }
        // What it takes while it waits for its next try stands behind that try.
        let is_behind = fact.kind == FactKind::TurnStarted
            && self.activity == Activity::Blocked
            && self.retry.as_ref().is_some_and(|retry| retry.is_pending(fact.at));
        if is_behind {
            return self;
        }
        let stuck = fact.kind == FactKind::Stuck && self.activity == Activity::Active;
        self.stuck = stuck.then(|| evidence_of(fact));
        if let FactKind::Offered(options) = &fact.kind {
            if let Some(shown) = self
                .open
                .first_mut()
                .filter(|shown| shown.question.options.is_empty() && !shown.is_prose())
            {
                shown.question.options.clone_from(options);
            }
            return self;
        }
        let left = self.left.take();
        if let FactKind::Left(question) = &fact.kind {
            let open = OpenQuestion {
                question: question.clone(),
                about: About::default(),
                evidence: evidence_of(fact),
            };
            return match self.activity.status() {
                Status::Idle => self.opened(open, fact.at),
                _ => Self {
                    left: Some(open),
                    ..self
                },
            };
        }
        if let (FactKind::Limited(again), Some(known)) = (&fact.kind, &mut self.limit) {
            // Told once more, by its transcript say.
            known.limit.resets_at = known.limit.resets_at.or(again.resets_at);
            return Self { left, ..self };
        }
        let all_rest = self.sub_agents.take(fact);
        let next = if all_rest {
            Some(Activity::Idle)
        } else {
            self.next(fact)
        };
        let Some(next) = next else {
            return Self { left, ..self };
        };
        self.limited(fact);
        self.failed(fact);
        if let (Activity::Idle | Activity::WaitingInput, Some(left), false) = (next, &left, is_dialog(fact)) {
            return self.opened(left.clone(), fact.at);
        }
        // Only a new turn, or the end of the conversation, answers what was left.
        if !matches!(
            fact.kind,
            FactKind::TurnStarted | FactKind::Ready(_) | FactKind::Cleared | FactKind::ConversationEnded
        ) {
            self.left = left;
        }
        self.open = self.open_after(fact);
        let (next, evidence) = match self.open.first() {
            Some(shown) => (Activity::WaitingInput, shown.evidence.clone()),
            None => (next, self.sub_agents.evidence(fact)),
        };
        if next != self.activity {
            self.since = fact.at;
        }
        self.activity = next;
        self.evidence = evidence;
        if fact.about.sub_agent.is_none() {
            self.own_at = Some(fact.at);
        }
        self
    }

    /// Takes in what a fact that changes the activity says of limits.
    fn limited(&mut self, fact: &Fact) {
        self.limit = None;
        match &fact.kind {
            FactKind::Limited(limit) => {
                self.refusals = self.refusals.saturating_add(1);
                self.limit = Some(Limited {
                    limit: limit.clone(),
                    at: fact.at,
                    refusals: self.refusals,
                    message: None,
                });
            }
            FactKind::Retrying(retry) if retry.by_limit && fact.source == EvidenceSource::Hook => {
                self.limit = Some(Limited {
                    limit: UsageLimit {
                        text: retry.text.clone(),
                        resets_at: retry.at,
                    },
                    at: fact.at,
                    // It goes on by itself, whoever counts.
                    refusals: 1,
                    message: None,
                });
            }
            FactKind::TurnEnded => self.refusals = 0,
            _ => {}
        }
    }

    /// Takes in what a fact that changes the activity says of other failures.
    fn failed(&mut self, fact: &Fact) {
        (self.blocked, self.retry) = match &fact.kind {
            FactKind::Blocked(why) => (Some(why.clone()), None),
            FactKind::Retrying(retry) => (None, Some(retry.clone())),
            _ => (None, None),
        };
        if matches!(fact.kind, FactKind::TurnStarted | FactKind::Ready(_)) {
            self.answer = None;
        }
    }

    /// At rest, with one question left behind.
    fn opened(mut self, question: OpenQuestion, at: Timestamp) -> Self {
        if self.activity != Activity::WaitingInput {
            self.since = at;
        }
        self.activity = Activity::WaitingInput;
        self.evidence = question.evidence.clone();
        self.open = vec![question];
        self
    }

    /// The questions that are open after `fact`.
    fn open_after(&self, fact: &Fact) -> Vec<OpenQuestion> {
        let others = |closes: &dyn Fn(&About) -> bool| -> Vec<OpenQuestion> {
            let open = self.open.iter().filter(|open| !closes(&open.about));
            open.cloned().collect()
        };
        match &fact.kind {
            FactKind::Asked(question) => {
                // The same asked again is one question. One in prose comes with the end of a turn,
                // and one in prose before it was not waited for.
                let mut open = match question.kind {
                    QuestionKind::Asks => Vec::new(),
                    _ => others(&|about| *about == fact.about),
                };
                open.retain(|open| !open.is_prose());
                if open.len() < MAX_OPEN {
                    open.push(OpenQuestion {
                        question: question.clone(),
                        about: fact.about.clone(),
                        evidence: evidence_of(fact),
                    });
                }
                open
            }
            FactKind::TurnStarted | FactKind::Working => {
                let mut open = others(&|about| fact.about.ends(about));
                open.retain(|open| !open.is_prose());
                open
            }
            FactKind::SubAgent | FactKind::SubAgentWorks => others(&|about| fact.about.ends(about)),
            FactKind::TurnEnded if self.is_prose() && !fact.about.ended => self.open.clone(),
            // Of those that work on, what they ask stays.
            FactKind::TurnEnded if self.sub_agents.any() => others(&|about| about.sub_agent.is_none()),
            FactKind::QuestionClosed if fact.source == EvidenceSource::Hook => {
                others(&|about| fact.about.ends(about))
            }
            FactKind::Conversation(_)
            | FactKind::Left(_)
            | FactKind::Offered(_)
            | FactKind::Output
            | FactKind::Quiet
            | FactKind::Answered(_)
            | FactKind::Plan(_)
            | FactKind::Task(_)
            | FactKind::Topic(_)
            | FactKind::ToolsListed
            | FactKind::ToolsMissing
            | FactKind::Stuck => self.open.clone(),
            FactKind::QuestionClosed
            | FactKind::Cleared
            | FactKind::Ready(_)
            | FactKind::TurnEnded
            | FactKind::Blocked(_)
            | FactKind::Retrying(_)
            | FactKind::Limited(_)
            | FactKind::ConversationEnded => Vec::new(),
        }
    }

    /// Whether its activity was told by what it shows.
    fn was_seen(&self) -> bool {
        matches!(
            self.evidence.source,
            EvidenceSource::Title | EvidenceSource::Screen
        )
    }

    /// The activity that `fact` gives, or `None` where it gives none.
    fn next(&self, fact: &Fact) -> Option<Activity> {
        let weak = self.has_hooks && fact.source == EvidenceSource::Output;
        let told = fact.source == EvidenceSource::Hook;
        match &fact.kind {
            _ if weak => None,
            FactKind::Conversation(_) | FactKind::Offered(_) | FactKind::Left(_) => None,
            FactKind::Plan(_) | FactKind::Task(_) | FactKind::Topic(_) | FactKind::Stuck => None,
            FactKind::ToolsListed | FactKind::ToolsMissing => None,
            FactKind::Answered(_) => None,
            // Text on a screen alone never says that it waits.
            FactKind::Retrying(retry) if told && (retry.by_limit || retry.blocks(fact.at)) => {
                Some(Activity::Blocked)
            }
            FactKind::Retrying(_) => Some(Activity::Active),
            FactKind::Cleared => Some(Activity::Unknown),
            FactKind::Ready(_) => Some(Activity::Ready),
            FactKind::TurnStarted | FactKind::Working => Some(Activity::Active),
            // A background sub-agent may end after its parent's turn: that opens nothing new.
            FactKind::SubAgent if matches!(self.activity, Activity::Idle | Activity::Blocked) => None,
            // That its own turn failed stays so, whatever works on below it.
            FactKind::SubAgentWorks if self.activity == Activity::Blocked => None,
            FactKind::SubAgent | FactKind::SubAgentWorks => Some(Activity::Active),
            FactKind::Asked(_) => Some(Activity::WaitingInput),
            FactKind::QuestionClosed if self.activity == Activity::WaitingInput => Some(Activity::Active),
            // The words of the limit left the screen.
            FactKind::QuestionClosed if self.limit.is_some() => Some(Activity::Active),
            FactKind::QuestionClosed => None,
            // What merely repeats that it rests; but one that was stopped while it waited to ask its model
            // again says that all of it is over.
            FactKind::TurnEnded if self.activity == Activity::Blocked && !fact.about.ended => None,
            FactKind::TurnEnded if self.sub_agents.any() => Some(Activity::Active),
            FactKind::TurnEnded => Some(Activity::Idle),
            FactKind::Blocked(_) if self.limit.is_some() => None,
            FactKind::Blocked(_) | FactKind::Limited(_) => Some(Activity::Blocked),
            FactKind::ConversationEnded => Some(Activity::Unknown),
            FactKind::Output | FactKind::Quiet if self.activity == Activity::WaitingInput => None,
            FactKind::Output | FactKind::Quiet if self.limit.is_some() => None,
            // Silence is what an agent at its prompt, seen there, is like.
            FactKind::Quiet if self.activity == Activity::Ready && self.was_seen() => None,
            FactKind::Output => Some(Activity::Active),
            FactKind::Quiet => Some(Activity::Unknown),
        }
    }
}

/// Whether a fact is a dialog on the agent's screen, in the middle of its turn.
fn is_dialog(fact: &Fact) -> bool {
    matches!(&fact.kind, FactKind::Asked(question) if question.kind != QuestionKind::Asks)
}

pub(crate) fn evidence_of(fact: &Fact) -> Evidence {
    Evidence {
        source: fact.source,
        detail: fact.detail.clone(),
        at: fact.at,
    }
}

#[cfg(test)]
#[path = "observe_tests.rs"]
mod tests;
