//! Says what a rule would do about an event, step by step, by asking it as if the event happened again and again. The
//! rule, its budget and its texts are the real ones; nothing is recorded or carried out.

use crate::decide::reactions::sample::Sample;
use crate::decide::reactions::{command, escalation, text, values};
use crate::host::config::template;
use downbeat_model::pull::SeenPull;
use downbeat_model::reactions::{
    self, Act, Action, Condition, Context, Controls, EscalationReason, Record, Rule, Situation,
};
use downbeat_model::{SessionId, Subject, count, lines, shown};
use downbeat_wire::reaction::{SimulatedReaction, SimulatedStep};
use jiff::{SignedDuration, Timestamp};

/// The time between two rounds of the event.
const ROUND: SignedDuration = SignedDuration::from_secs(1);

/// The number of times that a rule is asked at most.
const MOST: u32 = 400;

/// What a simulation assumes.
#[derive(Debug, Clone, Copy)]
pub struct Assumed<'a> {
    /// The session that the event happens to.
    pub session: &'a SessionId,
    /// The values of messages and conditions, but for those of the sample.
    pub values: &'a serde_json::Value,
    /// The label or the budget.
    pub detail: &'a str,
    /// The pull request that it happens to, if the session has one.
    pub pull: Option<&'a SeenPull>,
    /// The time.
    pub now: Timestamp,
}

/// Something that the rule does.
struct Done {
    after: SignedDuration,
    round: u32,
    effect: reactions::Effect,
    text: Option<String>,
}

/// Returns what a rule would do.
#[must_use]
pub fn simulate(rule: &Rule, assumed: &Assumed<'_>) -> SimulatedReaction {
    let mut simulated = SimulatedReaction {
        rule: rule.id.clone(),
        steps: Vec::new(),
        nothing: None,
    };
    match condition(rule, assumed) {
        Condition::Fails => {
            simulated.nothing = Some("its condition is not met here".to_owned());
            return simulated;
        }
        Condition::Error(error) => {
            simulated.nothing = Some(format!("its condition has an error: {error}"));
            return simulated;
        }
        Condition::Holds => {}
    }
    if !rule.acts() {
        simulated.nothing = Some("it is not automatic; `downbeat reactions run` runs it once".to_owned());
        return simulated;
    }
    if rule.needs_approval() {
        simulated.nothing = Some("its command waits for your approval".to_owned());
        return simulated;
    }
    let repeats = matches!(rule.action, Action::SendToAgent | Action::Restart | Action::Run)
        && rule.event.can_be_resolved();
    let done = run(rule, assumed, repeats);
    simulated.steps = steps(&done);
    let is_by_time = |one: &Done| is_escalated(one, |why| matches!(why, EscalationReason::Time { .. }));
    if repeats && !done.iter().any(is_by_time) {
        // The same with an event that happens once and is not resolved.
        let once = run(rule, assumed, false);
        simulated
            .steps
            .extend(once.iter().filter(|one| is_by_time(one)).map(still_there));
    }
    if simulated.steps.is_empty() {
        simulated.nothing = Some("it has nothing to act on".to_owned());
    }
    simulated
}

fn is_escalated(one: &Done, how: impl Fn(&EscalationReason) -> bool) -> bool {
    matches!(&one.effect.act, Act::Escalate { why, .. } if how(why))
}

/// Asks the rule until it is done with the event; if the event `repeats`, it happens again after each action.
fn run(rule: &Rule, assumed: &Assumed<'_>, repeats: bool) -> Vec<Done> {
    let (mut record, mut done) = (Record::default(), Vec::new());
    let (mut now, mut began, mut round) = (assumed.now, assumed.now, 1);
    for _ in 0..MOST {
        let Some(sample) = Sample::of(rule.event, assumed.detail, round, began, assumed.pull) else {
            break;
        };
        let reaction = ask(rule, assumed, &sample, &mut record, now);
        let has_acted = !reaction.effects.is_empty();
        for effect in reaction.effects {
            let text = words(&effect, &sample, assumed);
            done.push(Done {
                after: now.duration_since(assumed.now),
                round,
                effect,
                text,
            });
        }
        let is_told = done.last().is_some_and(|one| is_escalated(one, |_| true));
        match reaction.due {
            _ if is_told => break,
            _ if has_acted && repeats => {
                now = now.saturating_add(ROUND).unwrap_or(now);
                (began, round) = (now, round + 1);
            }
            Some(due) if due > now => now = due,
            _ => break,
        }
    }
    done
}

/// Asks the rule once.
fn ask(
    rule: &Rule,
    assumed: &Assumed<'_>,
    sample: &Sample,
    record: &mut Record,
    now: Timestamp,
) -> reactions::Reaction {
    let mut cases = sample.matter().cases();
    cases.retain(|case| case.event == rule.event);
    let situation = Situation {
        subject: Subject::Session(assumed.session.clone()),
        session: Some(assumed.session.clone()),
        cases,
    };
    let context = Context {
        rules: std::slice::from_ref(rule),
        controls: &Controls::default(),
        condition: &|_, _| Condition::Holds,
        run_now: None,
        now,
    };
    reactions::react(record, &situation, &context)
}

fn condition(rule: &Rule, assumed: &Assumed<'_>) -> Condition {
    let Some(text) = &rule.condition else {
        return Condition::Holds;
    };
    let Some(sample) = Sample::of(rule.event, assumed.detail, 1, assumed.now, assumed.pull) else {
        return Condition::Holds;
    };
    let about = (rule.event, assumed.detail, 0);
    let values = values::with(assumed.values.clone(), sample.matter(), about);
    match template::holds(text, &values) {
        Ok(true) => Condition::Holds,
        Ok(false) => Condition::Fails,
        Err(error) => Condition::Error(error),
    }
}

/// Returns the text that is sent, or that notifies.
fn words(effect: &reactions::Effect, sample: &Sample, assumed: &Assumed<'_>) -> Option<String> {
    let matter = sample.matter();
    let about = (effect.event, effect.detail.as_str(), effect.attempt);
    let values = values::with(assumed.values.clone(), matter, about);
    let text = match &effect.act {
        Act::Send { message } => {
            let about = text::about(effect, matter, &sample.causes())?;
            text::message(message.as_deref(), &about, values)
        }
        Act::Notify { message, .. } => text::notice(effect, matter, message.as_deref(), &values),
        Act::Spawn { message, .. } => {
            text::task(message.as_deref(), effect, matter, &sample.causes(), values)
        }
        Act::Escalate { why, .. } => Ok(escalation::notice(effect, matter, why)),
        Act::Run { command } => {
            let about = (effect, matter);
            let set = command::variables(about, &sample.causes(), assumed.session, &values);
            let lines = set
                .iter()
                .map(|(name, value)| format!("{name}={}", lines::first_line(value)));
            let first = shown::command(&command.argv);
            Ok(std::iter::once(first).chain(lines).collect::<Vec<_>>().join("\n"))
        }
        _ => return None,
    };
    Some(text.unwrap_or_else(|error| error))
}

/// Puts what was done into words. What only repeats the first step is one step.
fn steps(done: &[Done]) -> Vec<SimulatedStep> {
    let acted = done.iter().filter(|one| !is_escalated(one, |_| true)).count();
    let mut steps: Vec<SimulatedStep> = Vec::new();
    for one in done {
        match &one.effect.act {
            Act::Escalate {
                why: EscalationReason::Time { .. },
                ..
            } => steps.push(still_there(one)),
            Act::Escalate { .. } => steps.push(SimulatedStep {
                when: "when it happens once more".to_owned(),
                what: what(&one.effect.act).to_owned(),
                text: one.text.clone(),
            }),
            _ if one.round == 1 => steps.push(SimulatedStep {
                when: match one.after.as_secs() {
                    0 => "at once".to_owned(),
                    seconds => format!("after {}", period(seconds)),
                },
                what: what(&one.effect.act).to_owned(),
                text: one.text.clone(),
            }),
            _ if one.round == 2 => steps.push(SimulatedStep {
                when: "when it happens again".to_owned(),
                what: format!(
                    "the same, {} in all",
                    count(u64::try_from(acted).unwrap_or(u64::MAX), "time", "times")
                ),
                text: None,
            }),
            _ => {}
        }
    }
    steps
}

fn still_there(one: &Done) -> SimulatedStep {
    SimulatedStep {
        when: format!("if it still stands after {}", period(one.after.as_secs())),
        what: what(&one.effect.act).to_owned(),
        text: one.text.clone(),
    }
}

/// Says what an effect does.
fn what(act: &Act) -> &'static str {
    match act {
        Act::Send { .. } => "its agent gets a message",
        Act::Notify { .. } | Act::Escalate { .. } => "you are notified",
        Act::Merge { .. } => "its pull request is merged",
        Act::AutoMerge { .. } => "the forge merges its pull request as soon as nothing is missing",
        Act::Spawn { .. } => "another session is started",
        Act::Run { .. } => "a command is run in its worktree, with these variables",
        Act::Restart => "its agent is restarted",
        Act::Pause => "it is paused",
        Act::Archive => "its session is archived and its worktree removed",
    }
}

fn period(seconds: i64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}
