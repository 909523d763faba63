//! A desk for the tests of reactions: a subject with its record, which is asked again and stored after each step.

use super::*;
use crate::fixture::at;
use crate::id::SessionId;
use crate::pull::{Pull, SeenPull};
use crate::subject::{PullId, Subject};
use jiff::Timestamp;
use std::collections::{BTreeMap, HashSet};

pub fn rule(event: Event, action: Action) -> Rule {
    let id = serde_json::to_value(event).unwrap();
    Rule::new(event, action, id.as_str().unwrap())
}

/// Returns a rule that sends to the agent, at most `retries` times.
pub fn sends(event: Event, retries: u32) -> Rule {
    Rule {
        retries: Some(retries),
        ..rule(event, Action::SendToAgent)
    }
}

pub fn command(approved: bool) -> RuleCommand {
    RuleCommand {
        argv: vec!["make".into(), "preview".into()],
        limit_minutes: 30,
        approved,
    }
}

pub fn after(text: &str) -> Option<EscalateAfter> {
    Some(EscalateAfter::Time(Period::parse(text).unwrap()))
}

pub fn session() -> SessionId {
    SessionId::parse("s000000000001").unwrap()
}

pub fn pull_subject(number: usize) -> Subject {
    Subject::Pull(PullId::new("github.com", &format!("PR_{number}")).unwrap())
}

/// A subject with its record.
pub struct Desk {
    pub record: Record,
    pub rules: Vec<Rule>,
    pub controls: Controls,
    pub situation: Situation,
    /// The outcome of every condition.
    pub condition: Condition,
    pub run_now: Option<String>,
    pub due: Option<Timestamp>,
    /// All effects, with their times.
    pub effects: Vec<(Timestamp, Effect)>,
    keys: HashSet<String>,
    sent: BTreeMap<(String, u64, String), u32>,
    pull: Pull,
}

impl Desk {
    pub fn new(rules: Vec<Rule>) -> Self {
        Self {
            record: Record::default(),
            rules,
            controls: Controls::default(),
            situation: Situation {
                subject: pull_subject(1),
                session: Some(session()),
                cases: Vec::new(),
            },
            condition: Condition::Holds,
            run_now: None,
            due: None,
            effects: Vec::new(),
            keys: HashSet::new(),
            sent: BTreeMap::new(),
            pull: Pull::unseen(),
        }
    }

    /// Asks at this second. Asking again changes nothing, and a restart forgets nothing.
    pub fn ask(&mut self, second: i64) -> Vec<Effect> {
        let now = at(second);
        let outcome = self.condition.clone();
        let condition = move |_: &Rule, _: &Case| outcome.clone();
        let context = Context {
            rules: &self.rules,
            controls: &self.controls,
            condition: &condition,
            run_now: self.run_now.as_deref(),
            now,
        };
        let before = self.record.clone();
        let reaction = react(&mut self.record, &self.situation, &context);
        if before == self.record {
            assert_eq!(reaction.effects, [], "an effect that the record does not know");
        }
        let stored = serde_json::to_string(&self.record).unwrap();
        let again = react(&mut self.record, &self.situation, &context);
        assert_eq!(again.effects, [], "asked again");
        assert_eq!(stored, serde_json::to_string(&self.record).unwrap());
        assert!(
            again.due.is_none_or(|due| due > now),
            "it would be asked for ever"
        );
        self.record = serde_json::from_str(&stored).unwrap();
        self.due = again.due;
        for effect in &reaction.effects {
            self.note(effect, now);
        }
        reaction.effects
    }

    fn note(&mut self, effect: &Effect, now: Timestamp) {
        assert!(
            self.keys.insert(effect.key.clone()),
            "{} was used before",
            effect.key
        );
        if !matches!(effect.act, Act::Escalate { .. }) {
            for item in &effect.items {
                let times = self
                    .sent
                    .entry((effect.rule.clone(), effect.problem, item.clone()))
                    .or_default();
                *times += 1;
                assert_eq!(*times, 1, "{item} was sent twice");
            }
        }
        self.effects.push((now, effect.clone()));
    }

    /// Asks at all times that were asked for, up to this second.
    pub fn pass(&mut self, second: i64) -> Vec<Effect> {
        let mut effects = self.pass_before(second);
        effects.extend(self.ask(second));
        effects
    }

    /// Asks at all times that were asked for, before this second.
    fn pass_before(&mut self, second: i64) -> Vec<Effect> {
        let mut effects = Vec::new();
        while let Some(due) = self.due.filter(|due| *due < at(second)) {
            effects.extend(self.ask(due.as_second()));
        }
        effects
    }

    /// Shows a pull request at this second.
    pub fn see(&mut self, second: i64, seen: &SeenPull) -> Vec<Effect> {
        use crate::fold::Fold as _;
        let mut effects = self.pass_before(second);
        self.pull = self.pull.clone().after(seen);
        self.situation.cases = cases_of_pull(&self.pull);
        effects.extend(self.ask(second));
        effects
    }

    /// Shows a session at this second.
    pub fn see_session(&mut self, second: i64, facts: &SessionFacts) -> Vec<Effect> {
        let mut effects = self.pass_before(second);
        self.situation.cases = cases_of_session(facts);
        effects.extend(self.ask(second));
        effects
    }

    pub fn explain(&self, second: i64) -> Vec<Explanation> {
        let outcome = self.condition.clone();
        let condition = move |_: &Rule, _: &Case| outcome.clone();
        let context = Context {
            rules: &self.rules,
            controls: &self.controls,
            condition: &condition,
            run_now: None,
            now: at(second),
        };
        explain(&self.record, &self.situation, &context)
    }

    /// Returns the verdict on this event.
    pub fn verdict(&self, second: i64, event: Event) -> Verdict {
        let mut all = self.explain(second).into_iter();
        all.rfind(|known| known.event == event).unwrap().verdict
    }

    /// Returns the number of effects of rules, and of escalations.
    pub fn counts(&self) -> (usize, usize) {
        let all = self.effects.iter();
        let escalations = all.filter(|(_, effect)| is_escalation(effect)).count();
        (self.effects.len() - escalations, escalations)
    }
}

pub fn is_escalation(effect: &Effect) -> bool {
    matches!(effect.act, Act::Escalate { .. })
}

/// Returns the items of each effect.
pub fn items(effects: &[Effect]) -> Vec<Vec<&str>> {
    effects
        .iter()
        .map(|effect| effect.items.iter().map(String::as_str).collect())
        .collect()
}

/// Returns a session that rests, and of which nothing else is known.
pub fn idle_session() -> SessionFacts {
    SessionFacts {
        status: crate::Status::Idle,
        status_since: at(0),
        was_ended: false,
        question_since: None,
        quiet_since: None,
        limit_since: None,
        budgets: Vec::new(),
        checks: None,
        mergeable: None,
        changes_requested: None,
        approved: None,
        workers: None,
    }
}
