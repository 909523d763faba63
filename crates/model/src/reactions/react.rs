//! What rules do about a situation.

use super::case::{Case, Situation, Standing};
use super::context::Context;
use super::effect::{Act, Effect, EscalationReason};
use super::judge::{Because, Question, Verdict, goes_on};
use super::priority::NoticePriority;
use super::record::{Attempt, Escalated, Handled, Record};
use super::rule::{Action, Rule};
use jiff::Timestamp;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The number of items that an escalation names.
const MOST_NAMED: usize = 100;

/// What follows from a situation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reaction {
    /// The effects, to be recorded together with the record.
    pub effects: Vec<Effect>,
    /// The time at which to ask again, if nothing else happens.
    pub due: Option<Timestamp>,
}

/// Decides what the rules do about a situation, and notes it in the record. Asked again without a change, it does
/// nothing.
#[must_use = "effects that are not recorded are lost"]
pub fn react(record: &mut Record, situation: &Situation, context: &Context<'_>) -> Reaction {
    let mut reaction = Reaction::default();
    for (rule, case) in pairs(record, situation, context.rules) {
        record.observe(&rule, &case, context.now);
        if context.rules.iter().any(|known| known.id == rule.id) {
            step(record, situation, &rule, &case, context, &mut reaction);
            if case.is_passing() {
                record.observe(&rule, &case, context.now);
            }
        }
    }
    reaction
}

/// Notes all that is new for a rule as handled, without doing anything: a person skips it.
pub fn skip(record: &mut Record, situation: &Situation, rule: &Rule, now: Timestamp) {
    let cases = situation.cases.iter().filter(|case| case.event == rule.event);
    for case in cases {
        record.observe(rule, case, now);
        pass_over(record, rule, case, now);
    }
}

/// Notes all that is new in a case as handled, without doing anything.
fn pass_over(record: &mut Record, rule: &Rule, case: &Case, now: Timestamp) {
    let mut problems = record.problems.iter_mut();
    let is_it = |problem: &&mut super::Problem| problem.rule == rule.id && problem.detail == case.detail;
    if let Some(problem) = problems.find(is_it) {
        let names: Vec<String> = std::mem::take(&mut problem.waiting).into_keys().collect();
        let handled = Handled {
            at: now,
            problem: problem.number,
            skipped: true,
        };
        record.handle(&rule.id, &case.detail, &names, &handled);
    }
}

/// A rule with a case that it may deal with.
type Pair<'a> = (Cow<'a, Rule>, Cow<'a, Case>);

/// Returns each rule with each case that it may deal with. Problems without a case, or without a rule, are clear.
pub(super) fn pairs<'a>(record: &Record, situation: &'a Situation, rules: &'a [Rule]) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    for problem in &record.problems {
        let is_case = |case: &&Case| case.event == problem.event && case.detail == problem.detail;
        let case = situation.cases.iter().find(is_case);
        let is_rule = |rule: &&Rule| rule.id == problem.rule && rule.event == problem.event;
        let rule = rules.iter().find(is_rule);
        if case.is_none() || rule.is_none() {
            let clear = || Cow::Owned(Case::of(problem.event, Standing::Clear).with_detail(&problem.detail));
            let unknown = || Cow::Owned(Rule::new(problem.event, Action::Notify, &problem.rule));
            pairs.push((
                rule.map_or_else(unknown, Cow::Borrowed),
                case.map_or_else(clear, Cow::Borrowed),
            ));
        }
    }
    for rule in rules {
        let cases = situation.cases.iter().filter(|case| case.event == rule.event);
        pairs.extend(cases.map(|case| (Cow::Borrowed(rule), Cow::Borrowed(case))));
    }
    pairs
}

/// Lets a rule deal with a case that the record knows of.
fn step(
    record: &mut Record,
    situation: &Situation,
    rule: &Rule,
    case: &Case,
    context: &Context<'_>,
    reaction: &mut Reaction,
) {
    let question = Question {
        record,
        session: situation.session.as_ref(),
        rule,
        case,
        context,
    };
    let verdict = question.verdict();
    let escalation = question.escalation(&verdict);
    // Nothing ever ends items that only pass: beyond the budget they would keep their problem open, and the budget used up.
    let is_used_up = matches!(
        verdict,
        Verdict::Rests {
            because: Because::AttemptsUsedUp { .. }
        }
    );
    match verdict {
        Verdict::Fires { items, .. } => {
            let effect = fire(record, situation, rule, case, items, context.now);
            reaction.effects.extend(effect);
        }
        Verdict::Waits { until, .. } => reaction.ask_again(until),
        Verdict::Rests { .. } => {}
    }
    match escalation {
        Some((at, why)) if at <= context.now => {
            let effect = escalate(record, situation, rule, case, why, context.now);
            reaction.effects.extend(effect);
        }
        Some((at, _)) => reaction.ask_again(at),
        None => {}
    }
    if is_used_up && case.is_passing() {
        pass_over(record, rule, case, context.now);
    }
}

impl Reaction {
    fn ask_again(&mut self, at: Timestamp) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }
}

/// Handles new items, and notes the attempt.
fn fire(
    record: &mut Record,
    situation: &Situation,
    rule: &Rule,
    case: &Case,
    items: Vec<String>,
    now: Timestamp,
) -> Option<Effect> {
    let act = act(rule, case)?;
    let is_it = |problem: &&mut super::Problem| problem.rule == rule.id && problem.detail == case.detail;
    let problem = record.problems.iter_mut().find(is_it)?;
    let fresh = case.items_named(&items);
    if !goes_on(problem, &fresh) {
        problem.attempts += 1;
        problem.attempt = Some(Attempt {
            group: fresh.first().map(|item| item.group.clone()).unwrap_or_default(),
            slots: BTreeSet::new(),
            effects: 0,
        });
    }
    if let Some(attempt) = &mut problem.attempt {
        attempt.slots.extend(fresh.iter().map(|item| item.slot.clone()));
        attempt.effects += 1;
    }
    // That the command waited for the person is over: what comes next is told.
    problem
        .escalated
        .take_if(|told| told.why == EscalationReason::NotApproved);
    problem.effects += 1;
    problem.fired_at = Some(now);
    problem.waiting.clear();
    let number = problem.number;
    let effect = Effect {
        key: key(situation, rule, number, &problem.effects.to_string()),
        subject: situation.subject.clone(),
        session: situation.session.clone(),
        rule: rule.id.clone(),
        event: rule.event,
        detail: case.detail.clone(),
        problem: number,
        attempt: problem.attempts,
        items,
        act,
    };
    let handled = Handled {
        at: now,
        problem: number,
        skipped: false,
    };
    record.handle(&rule.id, &case.detail, &effect.items, &handled);
    Some(effect)
}

/// Tells the person of a problem.
fn escalate(
    record: &mut Record,
    situation: &Situation,
    rule: &Rule,
    case: &Case,
    why: EscalationReason,
    now: Timestamp,
) -> Option<Effect> {
    let is_it = |problem: &&mut super::Problem| problem.rule == rule.id && problem.detail == case.detail;
    let problem = record.problems.iter_mut().find(is_it)?;
    problem.escalated = Some(Escalated {
        at: now,
        why: why.clone(),
    });
    let what = match why {
        EscalationReason::NotApproved => "approval",
        _ => "escalation",
    };
    Some(Effect {
        key: key(situation, rule, problem.number, what),
        subject: situation.subject.clone(),
        session: situation.session.clone(),
        rule: rule.id.clone(),
        event: rule.event,
        detail: case.detail.clone(),
        problem: problem.number,
        attempt: problem.attempts,
        items: case
            .items
            .iter()
            .map(|item| item.name.clone())
            .take(MOST_NAMED)
            .collect(),
        act: Act::Escalate {
            why,
            priority: rule.priority.unwrap_or(NoticePriority::Urgent),
        },
    })
}

fn key(situation: &Situation, rule: &Rule, problem: u64, what: &str) -> String {
    format!(
        "reaction/{}/{}/{problem}/{what}",
        situation.subject.word(),
        rule.id
    )
}

/// Returns what a rule does about a case; `None` for a merge of nothing, and for a run of nothing.
fn act(rule: &Rule, case: &Case) -> Option<Act> {
    let message = rule.message.clone();
    let strategy = rule.strategy;
    let delete_after = rule.delete_after.unwrap_or_default();
    Some(match rule.action {
        Action::SendToAgent => Act::Send { message },
        Action::Notify => Act::Notify {
            message,
            priority: rule.priority.unwrap_or(rule.event.priority()),
            with_summary: rule.include_summary.unwrap_or_default(),
        },
        Action::Merge => Act::Merge {
            head: case.head.clone()?,
            strategy,
            delete_after,
        },
        Action::AutoMerge => Act::AutoMerge {
            head: case.head.clone()?,
            strategy,
            delete_after,
        },
        Action::Spawn => Act::Spawn {
            message,
            agent: rule.agent.clone(),
        },
        Action::Run => Act::Run {
            command: rule.command.clone()?,
        },
        Action::Restart => Act::Restart,
        Action::Pause => Act::Pause,
        Action::Archive => Act::Archive,
    })
}
