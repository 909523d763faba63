//! Observation: folds facts into what is known of a live session. Pure: the same facts give the same
//! answer.
//!
//! Facts count in the order in which their keeper recorded or saw them, since the clock that stamped them may
//! have been set back meanwhile.
//!
//! The rule of evidence: hooks open states. A newer title, keystroke or screen may *close* a question, since
//! an agent fires no hook when a person presses Esc. For an agent with hooks, output alone opens and closes
//! nothing. `questions.rs` has the rules for questions.
//!
//! An agent that cannot continue stays blocked until it works, takes a message, or ends all its work.

use crate::fact::{Fact, FactKind};
use crate::fold::Fold;
use crate::questions::{self, OpenQuestion};
use crate::retry::Retry;
use crate::status::{Activity, Evidence, EvidenceSource, Question, QuestionKind, Status};
use crate::sub_agents::SubAgents;
use crate::tasks::Tasks;
use crate::tools::ToolsState;
use crate::usage_limit::{Limited, UsageLimit};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The time by which a fact that came later but was stamped earlier is moved behind the last one.
const TICK: SignedDuration = SignedDuration::from_micros(1);

/// The knowledge about a live session, folded from its facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// The activity of the agent.
    pub activity: Activity,
    /// The evidence for the activity.
    pub evidence: Evidence,
    /// The time at which the activity began.
    pub since: Timestamp,
    /// The open questions, oldest first; empty unless `activity` is waiting.
    #[serde(default)]
    pub open: Vec<OpenQuestion>,
    /// A question that a worker left for its conductor, and that opens when the worker's turn ends.
    #[serde(default)]
    pub left: Option<OpenQuestion>,
    /// True once a hook of this agent was heard: from then on, output is no evidence.
    pub has_hooks: bool,
    /// The agent's own tasks.
    #[serde(default)]
    pub tasks: Tasks,
    /// The agent's sub-agents, if those may continue to work after its turn.
    #[serde(default)]
    pub sub_agents: SubAgents,
    /// The time of the last fact about the agent's own turn, and not about a sub-agent's work.
    #[serde(default)]
    pub own_at: Option<Timestamp>,
    /// The evidence that the agent seems stuck: at work, with nothing new for long.
    #[serde(default)]
    pub stuck: Option<Evidence>,
    /// The usage limit that holds the agent.
    #[serde(default)]
    pub limit: Option<Limited>,
    /// The number of usage limits that the agent ran into since it last finished a turn.
    #[serde(default)]
    pub refusals: u32,
    /// The state of the tools that the agent was given; `None` if it was given none.
    #[serde(default)]
    pub tools: Option<ToolsState>,
    /// The failure that blocks the agent, in its own words.
    #[serde(default)]
    pub blocked: Option<String>,
    /// The retry that the agent announced.
    #[serde(default)]
    pub retry: Option<Retry>,
    /// The agent's answer, or the end of it, to the last message that it took.
    #[serde(default)]
    pub answer: Option<String>,
    /// The program that has a shell's terminal.
    #[serde(default)]
    pub program: Option<String>,
}

impl Observed {
    /// Returns the observation of a session whose process started at `at`, and of which nothing else is
    /// known.
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
            program: None,
        }
    }

    /// Returns the question that the agent shows.
    #[must_use]
    pub fn question(&self) -> Option<&Question> {
        self.open.first().map(|open| &open.question)
    }

    /// Returns whether the agent ended its turn with a question in prose that is still open.
    #[must_use]
    pub fn asks_in_prose(&self) -> bool {
        self.open.first().is_some_and(OpenQuestion::is_prose)
    }

    /// Returns whether an error that ended a turn at `at` ended the present turn: no later fact is about
    /// the agent's own turn. What sub-agents do meanwhile says nothing about it.
    #[must_use]
    pub fn turn_failed_at(&self, at: Timestamp) -> bool {
        self.activity == Activity::Active && at >= self.own_at.unwrap_or(self.evidence.at)
    }

    /// Returns `at` in order: it is later than all that is known, or as late as the last of it if the clock
    /// was set back.
    #[must_use]
    pub fn time_in_order(&self, at: Timestamp) -> Timestamp {
        at.max(self.evidence.at).max(self.since)
    }
}

impl Fold for Observed {
    type Fact = Fact;

    fn after(mut self, fact: &Fact) -> Self {
        let fact = &*self.fact_in_order(fact);
        self.has_hooks |= fact.source == EvidenceSource::Hook;
        if self.apply_to_notes(&fact.kind) || self.stands_behind_retry(fact) {
            return self;
        }
        let seems_stuck = fact.kind == FactKind::Stuck && self.activity == Activity::Active;
        self.stuck = seems_stuck.then(|| fact.evidence());
        match (&fact.kind, &mut self.limit) {
            (FactKind::Offered(options), _) => {
                self.add_options(options);
                return self;
            }
            (FactKind::Left(question), _) => {
                return self.leave(OpenQuestion::asked_by(fact, question), fact.at);
            }
            (FactKind::Limited(again), Some(known)) => {
                // A second source reported the same limit, and may know its end.
                known.limit.resets_at = known.limit.resets_at.or(again.resets_at);
                return self;
            }
            _ => {}
        }
        let all_rest = self.sub_agents.apply(fact);
        let next = if all_rest {
            Some(Activity::Idle)
        } else {
            self.activity_after(fact)
        };
        match next {
            Some(next) => self.changed_by(fact, next),
            None => self,
        }
    }
}

impl Observed {
    /// Returns the fact in the order in which it came: if the clock was set back, a tick after all that is
    /// known, so that facts in between remain distinct.
    fn fact_in_order<'a>(&self, fact: &'a Fact) -> Cow<'a, Fact> {
        let last = self.time_in_order(Timestamp::MIN);
        if fact.at >= last {
            return Cow::Borrowed(fact);
        }
        Cow::Owned(Fact {
            at: last.checked_add(TICK).unwrap_or(last),
            ..fact.clone()
        })
    }

    /// Applies a fact to the notes next to the activity: tasks, tools, the last answer. Returns whether the
    /// fact says nothing else.
    fn apply_to_notes(&mut self, fact: &FactKind) -> bool {
        if self.tasks.apply(fact) {
            return true;
        }
        if let Some(told) = ToolsState::from_fact(fact) {
            self.tools = self.tools.map(|known| known.updated_by(told));
            return true;
        }
        if let FactKind::Answered(text) = fact {
            self.answer = Some(text.clone());
            return true;
        }
        false
    }

    /// Returns whether a message only joined the queue behind the retry that the agent waits for.
    fn stands_behind_retry(&self, fact: &Fact) -> bool {
        fact.kind == FactKind::TurnStarted
            && self.activity == Activity::Blocked
            && self.retry.as_ref().is_some_and(|retry| retry.is_pending(fact.at))
    }

    /// Adds the answers that the screen offers to the question that the agent shows.
    fn add_options(&mut self, options: &[String]) {
        let shown = self.open.first_mut();
        if let Some(shown) = shown.filter(|shown| shown.question.options.is_empty() && !shown.is_prose()) {
            shown.question.options = options.to_vec();
        }
    }

    /// Keeps a question for the end of the turn; opens it immediately if the turn is over.
    fn leave(self, question: OpenQuestion, at: Timestamp) -> Self {
        if self.activity.status() == Status::Idle {
            return self.waiting_for(question, at);
        }
        Self {
            left: Some(question),
            ..self
        }
    }

    /// Returns the observation of an agent that ended its turn and waits for the answer to one question.
    fn waiting_for(mut self, question: OpenQuestion, at: Timestamp) -> Self {
        self.set_activity(Activity::WaitingInput, at);
        self.evidence = question.evidence.clone();
        self.open = vec![question];
        self
    }

    /// Sets the activity, whose age begins when it changes.
    fn set_activity(&mut self, activity: Activity, at: Timestamp) {
        if activity != self.activity {
            self.since = at;
        }
        self.activity = activity;
    }

    /// Returns what is known after a fact that gives the activity `next`.
    fn changed_by(mut self, fact: &Fact, next: Activity) -> Self {
        self.update_limit(fact);
        self.update_failure(fact);
        let rests = matches!(next, Activity::Idle | Activity::WaitingInput) && !is_dialog(fact);
        if let Some(left) = self.left.take_if(|_| rests) {
            return self.waiting_for(left, fact.at);
        }
        if begins_anew(&fact.kind) {
            self.left = None;
        }
        if matches!(fact.kind, FactKind::TurnStarted | FactKind::Ready(_)) {
            self.answer = None;
        }
        self.open = questions::open_after(&self.open, fact, self.sub_agents.any_at_work());
        let (next, evidence) = match self.open.first() {
            Some(shown) => (Activity::WaitingInput, shown.evidence.clone()),
            None => (next, self.sub_agents.evidence(fact)),
        };
        self.set_activity(next, fact.at);
        self.program = match &fact.kind {
            FactKind::Runs(program) => Some(program.clone()),
            _ => None,
        };
        self.evidence = evidence;
        if fact.about.sub_agent.is_none() {
            self.own_at = Some(fact.at);
        }
        self
    }

    /// Notes the usage limit that a fact reports. Any other fact that changes the activity shows that the
    /// limit is over.
    fn update_limit(&mut self, fact: &Fact) {
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
                    // The agent continues by itself, however often it was refused.
                    refusals: 1,
                    message: None,
                });
            }
            FactKind::TurnEnded => self.refusals = 0,
            _ => {}
        }
    }

    /// Notes the failure that a fact reports. Any other fact that changes the activity shows that the failure
    /// is over.
    fn update_failure(&mut self, fact: &Fact) {
        (self.blocked, self.retry) = match &fact.kind {
            FactKind::Blocked(why) => (Some(why.clone()), None),
            FactKind::Retrying(retry) => (None, Some(retry.clone())),
            _ => (None, None),
        };
    }

    /// Returns the activity that follows from `fact`, or `None` if none does.
    fn activity_after(&self, fact: &Fact) -> Option<Activity> {
        let is_from_hook = fact.source == EvidenceSource::Hook;
        if self.has_hooks && fact.source == EvidenceSource::Output {
            return None;
        }
        match &fact.kind {
            // A screen alone never shows that an agent waits for its retry.
            FactKind::Retrying(retry) if is_from_hook && (retry.by_limit || retry.blocks(fact.at)) => {
                Some(Activity::Blocked)
            }
            FactKind::Retrying(_) => Some(Activity::Active),
            FactKind::Cleared | FactKind::ConversationEnded => Some(Activity::Unknown),
            FactKind::Ready(_) => Some(Activity::Ready),
            FactKind::TurnStarted | FactKind::Working | FactKind::Runs(_) => Some(Activity::Active),
            // A background sub-agent may end after the turn of its agent: that opens nothing new.
            FactKind::SubAgent if matches!(self.activity, Activity::Idle | Activity::Blocked) => None,
            // The agent's own turn failed, even if its sub-agents continue to work.
            FactKind::SubAgentWorks if self.activity == Activity::Blocked => None,
            FactKind::SubAgent | FactKind::SubAgentWorks => Some(Activity::Active),
            FactKind::Asked(_) => Some(Activity::WaitingInput),
            FactKind::QuestionClosed => {
                // The question, or the words of the limit, left the screen.
                let closes = self.activity == Activity::WaitingInput || self.limit.is_some();
                closes.then_some(Activity::Active)
            }
            // A blocked agent that repeats that it is idle is still blocked. If a person stopped it while it
            // waited for its retry, its report means that everything is over.
            FactKind::TurnEnded if self.activity == Activity::Blocked && !fact.about.ended => None,
            FactKind::TurnEnded if self.sub_agents.any_at_work() => Some(Activity::Active),
            FactKind::TurnEnded => Some(Activity::Idle),
            // The limit is the better known reason.
            FactKind::Blocked(_) if self.limit.is_some() => None,
            FactKind::Blocked(_) | FactKind::Limited(_) => Some(Activity::Blocked),
            FactKind::Output | FactKind::Quiet => self.activity_after_output(&fact.kind),
            FactKind::Conversation(_)
            | FactKind::Offered(_)
            | FactKind::Left(_)
            | FactKind::Answered(_)
            | FactKind::Plan(_)
            | FactKind::Task(_)
            | FactKind::Topic(_)
            | FactKind::ToolsListed
            | FactKind::ToolsMissing
            | FactKind::Stuck => None,
        }
    }

    /// Returns the activity that follows from output, or its absence, for an agent without hooks.
    fn activity_after_output(&self, fact: &FactKind) -> Option<Activity> {
        let was_seen = matches!(
            self.evidence.source,
            EvidenceSource::Title | EvidenceSource::Screen
        );
        match self.activity {
            // Neither output nor silence answers a question or ends a limit.
            Activity::WaitingInput => None,
            _ if self.limit.is_some() => None,
            _ if *fact == FactKind::Output => Some(Activity::Active),
            // An agent that was seen at its prompt is silent there.
            Activity::Ready if was_seen => None,
            _ => Some(Activity::Unknown),
        }
    }
}

/// Returns whether a fact is a dialog on the agent's screen, in the middle of its turn.
fn is_dialog(fact: &Fact) -> bool {
    matches!(&fact.kind, FactKind::Asked(question) if question.kind != QuestionKind::Asks)
}

/// Returns whether a fact answers or voids a question that was left: a new turn, the end of the conversation,
/// or a person who says that the status is wrong.
fn begins_anew(fact: &FactKind) -> bool {
    matches!(
        fact,
        FactKind::TurnStarted | FactKind::Ready(_) | FactKind::Cleared | FactKind::ConversationEnded
    )
}

#[cfg(test)]
#[path = "observe_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "observe_tables.rs"]
mod tables;

#[cfg(test)]
#[path = "observe_failure_tables.rs"]
mod failure_tables;

#[cfg(test)]
#[path = "observe_properties.rs"]
mod properties;
