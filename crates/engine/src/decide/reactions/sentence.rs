//! What a rule did and does about a case, in one sentence: for explanations. Not why it does it: that is decided in
//! [`downbeat_model::reactions`].

use downbeat_model::reactions::{Action, Because, Explanation, Rule, Verdict, WaitsFor};
use downbeat_model::{count, shown};

/// Says what a rule did and does.
#[must_use]
pub fn explained(rule: &Rule, one: &Explanation) -> String {
    let times = count(one.attempts, "time", "times");
    let told = match (rule.action, one.attempts) {
        (Action::Notify, 0) => "you have not been notified yet".to_owned(),
        (Action::Notify, _) => "you were notified".to_owned(),
        (Action::Merge | Action::AutoMerge, 0) => "it has not been merged yet".to_owned(),
        (Action::Merge | Action::AutoMerge, _) => format!("a merge was requested {times}"),
        (Action::Archive, 0) => "the session has not been archived yet".to_owned(),
        (Action::Archive, _) => "the session will be archived when nothing runs in it".to_owned(),
        (Action::Restart, 0) => "the agent has not been restarted yet".to_owned(),
        (Action::Restart, made) => match one.most_attempts {
            Some(most) if made < most => format!("the agent was restarted {made} of at most {most} times"),
            _ => format!("the agent was restarted {times}"),
        },
        (Action::Spawn, 0) => "no session has been started for it yet".to_owned(),
        (Action::Spawn, _) => format!("a session was started for it {times}"),
        (Action::Pause, 0) => "the session has not been paused yet".to_owned(),
        (Action::Pause, _) => format!("the session was paused {times}"),
        (Action::Run, made) => command_ran(rule, made, &times, one.most_attempts),
        (_, 0) => "the agent has not been notified yet".to_owned(),
        (_, made) => match one.most_attempts {
            Some(most) if made < most => format!("the agent was notified {made} of at most {most} times"),
            _ => format!("the agent was notified {times}"),
        },
    };
    let Verdict::Rests { because } = &one.verdict else {
        return match &one.verdict {
            Verdict::Waits {
                what: WaitsFor::More, ..
            } => format!("{told}; waiting briefly in case more follows"),
            Verdict::Waits { .. } => format!("{told}; waiting to see whether it resolves itself"),
            _ => format!("{told}; it acts now"),
        };
    };
    match because {
        Because::Handled | Because::NoRule => told,
        Because::Clear => format!("over; {told}"),
        Because::Unclear => format!("{told}; waiting for checks and for the forge"),
        Because::AttemptsUsedUp { .. } => format!("{told}, which is the maximum"),
        Because::NotAutomatic { .. } => format!("{told} (not automatic)"),
        Because::SwitchedOff => format!("{told} (switched off)"),
        Because::Paused => format!("{told} (paused)"),
        Because::ConditionFails => format!("{told}; its condition is not met"),
        Because::ConditionError { error } => format!("{told}; its condition failed: {error}"),
        Because::NotApproved => format!("{told}; it waits for your approval"),
        Because::NoSession | Because::NoHead => format!("{told}; there is nothing to act on"),
        Because::TooMuch => format!("{told}; there are more items than it handles"),
    }
}

/// Says how often the command of a rule was run.
fn command_ran(rule: &Rule, made: u32, times: &str, most: Option<u32>) -> String {
    let argv = rule.command.as_ref().map_or(&[][..], |command| &command.argv);
    let command = shown::command(argv);
    match most {
        _ if made == 0 => format!("`{command}` has not run yet"),
        Some(most) if made < most => format!("`{command}` ran {made} of at most {most} times"),
        _ => format!("`{command}` ran {times}"),
    }
}

#[cfg(test)]
#[path = "sentence_tests.rs"]
mod tests;
