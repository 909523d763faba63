//! What a rule did and does about a case, in one sentence: for explanations. Not why it does it: that is decided in
//! [`downbeat_model::reactions`].

use downbeat_model::reactions::{Action, Because, Explanation, Rule, Verdict, WaitsFor};
use downbeat_model::{count, shown};

/// Says what a rule did and does.
#[must_use]
pub fn explained(rule: &Rule, one: &Explanation) -> String {
    let times = count(one.attempts, "time", "times");
    let told = match (rule.action, one.attempts) {
        (Action::Notify, 0) => "you are not notified yet".to_owned(),
        (Action::Notify, _) => "you were notified".to_owned(),
        (Action::Merge | Action::AutoMerge, 0) => "it is not merged yet".to_owned(),
        (Action::Merge | Action::AutoMerge, _) => format!("its merge was ordered {times}"),
        (Action::Archive, 0) => "its session is not archived yet".to_owned(),
        (Action::Archive, _) => "its session is archived once nothing runs in it".to_owned(),
        (Action::Restart, 0) => "its agent is not restarted yet".to_owned(),
        (Action::Restart, made) => match one.most_attempts {
            Some(most) if made < most => format!("its agent was restarted {made} of at most {most} times"),
            _ => format!("its agent was restarted {times}"),
        },
        (Action::Spawn, 0) => "no session was started for it yet".to_owned(),
        (Action::Spawn, _) => format!("a session was started for it {times}"),
        (Action::Pause, 0) => "it is not paused yet".to_owned(),
        (Action::Pause, _) => format!("it was paused {times}"),
        (Action::Run, made) => command_ran(rule, made, &times, one.most_attempts),
        (_, 0) => "its agent is not told yet".to_owned(),
        (_, made) => match one.most_attempts {
            Some(most) if made < most => format!("its agent was told {made} of at most {most} times"),
            _ => format!("its agent was told {times}"),
        },
    };
    let Verdict::Rests { because } = &one.verdict else {
        return match &one.verdict {
            Verdict::Waits {
                what: WaitsFor::More, ..
            } => format!("{told}; waiting a moment, because more may follow"),
            Verdict::Waits { .. } => format!("{told}; waiting to see whether it passes by itself"),
            _ => format!("{told}; that happens now"),
        };
    };
    match because {
        Because::Handled | Because::NoRule => told,
        Because::Clear => format!("over; {told}"),
        Because::Unclear => format!("{told}; waiting for checks and for the forge"),
        Because::AttemptsUsedUp { .. } => format!("{told}, which is the maximum"),
        Because::NotAutomatic { .. } => format!("{told}: it does not act by itself"),
        Because::SwitchedOff => format!("{told}: it is switched off"),
        Because::Paused => format!("{told}: paused"),
        Because::ConditionFails => format!("{told}: its condition does not hold"),
        Because::ConditionError { error } => format!("{told}: its condition has an error: {error}"),
        Because::NotApproved => format!("{told}: it waits for your approval"),
        Because::NoSession | Because::NoHead => format!("{told}: there is nothing to act on"),
        Because::TooMuch => format!("{told}: there are more items than it handles"),
    }
}

/// Says how often the command of a rule was run.
fn command_ran(rule: &Rule, made: u32, times: &str, most: Option<u32>) -> String {
    let argv = rule.command.as_ref().map_or(&[][..], |command| &command.argv);
    let command = shown::command(argv);
    match most {
        _ if made == 0 => format!("`{command}` is not run yet"),
        Some(most) if made < most => format!("`{command}` was run {made} of at most {most} times"),
        _ => format!("`{command}` was run {times}"),
    }
}
