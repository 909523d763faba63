//! Contradictions: what is wrong with rules, found when they are loaded. Not errors of syntax, conditions or templates.

use super::event::Event;
use super::rule::{Action, EscalateAfter, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Something that is wrong with rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContradictionIn {
    /// The rules, by their names.
    pub rules: Vec<String>,
    /// What is wrong.
    pub what: Contradiction,
}

/// What is wrong with rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Contradiction {
    /// Two rules have the same name.
    SameName,
    /// Two rules do the same on the same event, neither under a condition.
    Doubled,
    /// Two rules merge the same pull request, in different ways.
    TwoMerges,
    /// One rule pauses the session, while another gives its agent work.
    PausedAtWork,
    /// Nothing can be merged on this event.
    NothingToMerge,
    /// On this event no forge merges: the work waits for the project's own merge queue.
    NoForge,
    /// On this event the session's work is not over.
    NotOver,
    /// On this event there is no agent that could take a message.
    NoAgent,
    /// It may not act even once.
    NeverActs,
    /// Its attempts are used up before `escalateAfter` is reached.
    NeverReached,
    /// It needs this key.
    Missing {
        /// The key.
        key: String,
    },
    /// This key says nothing with this action or event.
    Unused {
        /// The key.
        key: String,
    },
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// The rules work, but one of them does not do all that it says.
    Warning,
    /// The rules must not be used.
    Error,
}

impl Contradiction {
    /// Returns how bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::Doubled | Self::NeverReached | Self::Unused { .. } => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// Returns what is wrong with rules: with each alone, then with each pair.
#[must_use]
pub fn contradictions(rules: &[Rule]) -> Vec<ContradictionIn> {
    let alone = rules.iter().flat_map(|rule| {
        let found = alone(rule).into_iter();
        found.map(|what| ContradictionIn {
            rules: vec![rule.id.clone()],
            what,
        })
    });
    let pairs = rules
        .iter()
        .enumerate()
        .flat_map(|(place, rule)| rules[place + 1..].iter().map(move |other| (rule, other)));
    let together = pairs.filter_map(|(rule, other)| {
        Some(ContradictionIn {
            rules: vec![rule.id.clone(), other.id.clone()],
            what: together(rule, other)?,
        })
    });
    alone.chain(together).collect()
}

fn alone(rule: &Rule) -> Vec<Contradiction> {
    let mut found = Vec::new();
    let unused = |key: &str| Contradiction::Unused { key: key.to_owned() };
    if rule.action.merges() && !rule.event.has_work_to_merge() {
        found.push(Contradiction::NothingToMerge);
    }
    let gives_work = matches!(rule.action, Action::SendToAgent | Action::Pause);
    if rule.action == Action::Archive && !matches!(rule.event, Event::PrMerged | Event::PrClosed) {
        found.push(Contradiction::NotOver);
    }
    if rule.action == Action::AutoMerge && rule.event == Event::ChecksPassed {
        found.push(Contradiction::NoForge);
    }
    if gives_work && !rule.event.has_agent() {
        found.push(Contradiction::NoAgent);
    }
    if rule.acts() && rule.action != Action::Notify && rule.most_attempts() == 0 {
        found.push(Contradiction::NeverActs);
    }
    if let (Some(retries), Some(EscalateAfter::Attempts(attempts))) = (rule.retries, rule.escalate_after) {
        found.extend((attempts > retries).then_some(Contradiction::NeverReached));
    }
    let missing = match rule.action {
        Action::Spawn => rule.message.is_none().then_some("message"),
        Action::Run => rule.command.is_none().then_some("command"),
        _ => None,
    };
    found.extend(missing.map(|key| Contradiction::Missing { key: key.to_owned() }));
    let has_text = matches!(rule.action, Action::SendToAgent | Action::Notify | Action::Spawn);
    let is_timed = matches!(rule.escalate_after, Some(EscalateAfter::Time(_)));
    let never_escalates =
        rule.escalate_after.is_some() && !rule.acts() || is_timed && !rule.event.can_be_resolved();
    for (key, is_unused) in [
        ("message", rule.message.is_some() && !has_text),
        ("strategy", rule.strategy.is_some() && !rule.action.merges()),
        (
            "deleteAfter",
            rule.delete_after.is_some() && !(rule.action.merges() && rule.event.is_of_pull()),
        ),
        (
            "includeSummary",
            rule.include_summary.is_some() && rule.action != Action::Notify,
        ),
        ("agent", rule.agent.is_some() && rule.action != Action::Spawn),
        ("command", rule.command.is_some() && rule.action != Action::Run),
        ("escalateAfter", never_escalates),
    ] {
        found.extend(is_unused.then(|| unused(key)));
    }
    found
}

fn together(rule: &Rule, other: &Rule) -> Option<Contradiction> {
    if rule.id == other.id {
        return Some(Contradiction::SameName);
    }
    let both_act = rule.acts() && other.acts();
    let may_exclude = rule.condition.is_some() || other.condition.is_some();
    if rule.event != other.event || !both_act || may_exclude {
        return None;
    }
    let is = |rule: &Rule, actions: &[Action]| actions.contains(&rule.action);
    let work = [Action::SendToAgent, Action::Restart];
    let pauses = |rule, other| is(rule, &[Action::Pause]) && is(other, &work);
    if pauses(rule, other) || pauses(other, rule) {
        return Some(Contradiction::PausedAtWork);
    }
    let way = |rule: &Rule| (rule.action, rule.strategy, rule.delete_after.unwrap_or_default());
    if rule.action.merges() && other.action.merges() && way(rule) != way(other) {
        return Some(Contradiction::TwoMerges);
    }
    let says = |rule: &Rule| (rule.message.clone(), rule.command.clone());
    let is_same = rule.action == other.action && (says(rule) == says(other) || rule.action.merges());
    is_same.then_some(Contradiction::Doubled)
}
