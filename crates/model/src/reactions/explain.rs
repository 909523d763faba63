//! Explanations: why a rule acted or did not, and what it does next. Data, not the sentences that people read.

use super::case::{Case, Situation, Standing};
use super::context::Context;
use super::effect::EscalationReason;
use super::event::Event;
use super::judge::{Because, Question, Verdict};
use super::react::pairs;
use super::record::{Problem, Record};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a rule does about a case, and what it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The rule; `None` if there is none for the event.
    pub rule: Option<String>,
    /// The event.
    pub event: Event,
    /// The detail of the case: a label, a budget.
    pub detail: String,
    /// What it does now, and why.
    pub verdict: Verdict,
    /// The number of items that were not handled yet.
    pub fresh: usize,
    /// The number of attempts so far.
    pub attempts: u32,
    /// The greatest number of attempts; `None` if it has no bound.
    pub most_attempts: Option<u32>,
    /// The time since which the problem stands, if it does.
    #[ts(type = "string | null")]
    pub since: Option<Timestamp>,
    /// The time at which the rule acted last.
    #[ts(type = "string | null")]
    pub fired_at: Option<Timestamp>,
    /// The time at which the person was told, or will be, if nothing changes; with the reason.
    #[ts(type = "[string, EscalationReason] | null")]
    pub escalation: Option<(Timestamp, EscalationReason)>,
}

/// Explains what each rule does about a situation. Events that stand and have no rule are explained as well.
#[must_use]
pub fn explain(record: &Record, situation: &Situation, context: &Context<'_>) -> Vec<Explanation> {
    let mut record = record.clone();
    let has_rule = |event: Event| context.rules.iter().any(|rule| rule.event == event);
    let mut explanations = Vec::new();
    for (rule, case) in pairs(&record, situation, context.rules) {
        record.observe(&rule, &case, context.now);
        let question = Question {
            record: &record,
            session: situation.session.as_ref(),
            rule: &rule,
            case: &case,
            context,
        };
        if !has_rule(case.event) {
            continue;
        }
        let verdict = question.verdict();
        let problem = question.problem();
        let told = problem.and_then(|problem| problem.escalated.as_ref());
        let told = told.map(|escalated| (escalated.at, escalated.why.clone()));
        explanations.push(Explanation {
            rule: Some(rule.id.clone()),
            event: rule.event,
            detail: case.detail.clone(),
            fresh: question.fresh().len(),
            attempts: problem.map_or(0, |problem| problem.attempts),
            most_attempts: Some(rule.most_attempts()).filter(|most| *most < u32::MAX),
            since: problem.map(|problem| problem.opened_at),
            fired_at: problem.and_then(|problem: &Problem| problem.fired_at),
            escalation: told.or_else(|| question.escalation(&verdict)),
            verdict,
        });
    }
    let is_without = |case: &&Case| case.standing == Standing::Open && !has_rule(case.event);
    let without = situation.cases.iter().filter(is_without);
    explanations.extend(without.map(|case| Explanation {
        rule: None,
        event: case.event,
        detail: case.detail.clone(),
        verdict: Verdict::Rests {
            because: Because::NoRule,
        },
        fresh: 0,
        attempts: 0,
        most_attempts: None,
        since: case.since,
        fired_at: None,
        escalation: None,
    }));
    explanations
}
