//! The command of a rule: what it finds in its environment, that it was started, and what came of it. Does not run it.
//!
//! A command is noted as started before it starts, and is never started again: what it did outside is not known here, so
//! nothing can be taken back.

use crate::decide::reactions::conclude::{self, Outcome};
use crate::decide::reactions::matter::Matter;
use crate::decide::reactions::text::{self, Cause};
use crate::state::draft::Draft;
use crate::state::known::State;
use crate::state::rule_commands;
use downbeat_model::effect::EffectState;
use downbeat_model::lines::first_line;
use downbeat_model::reactions::{Effect, RuleCommand};
use downbeat_model::session::RunningCommand;
use downbeat_model::{CheckOutcome, MOST_PROCESSES, SessionId, count, shown};
use downbeat_wire::ApiError;
use serde_json::{Value, json};
use std::time::Duration;

/// The longest value of a variable, in bytes: systems limit a single one, and all together.
const LONGEST: usize = 16 * 1024;

/// The variables, each with the place of its value among those that messages know.
const VARIABLES: [(&str, &str); 20] = [
    ("DOWNBEAT_EVENT", "/event"),
    ("DOWNBEAT_ATTEMPT", "/attempt"),
    ("DOWNBEAT_PROJECT", "/project"),
    ("DOWNBEAT_SESSION_NAME", "/session/name"),
    ("DOWNBEAT_SESSION_TITLE", "/session/title"),
    ("DOWNBEAT_AGENT", "/session/agent"),
    ("DOWNBEAT_BRANCH", "/session/branch"),
    ("DOWNBEAT_ISSUE", "/issue/number"),
    ("DOWNBEAT_ISSUE_TITLE", "/issue/title"),
    ("DOWNBEAT_PR_NUMBER", "/pr/number"),
    ("DOWNBEAT_PR_TITLE", "/pr/title"),
    ("DOWNBEAT_PR_URL", "/pr/url"),
    ("DOWNBEAT_PR_BRANCH", "/pr/branch"),
    ("DOWNBEAT_PR_BASE", "/pr/base"),
    ("DOWNBEAT_PR_HEAD", "/pr/head"),
    ("DOWNBEAT_PR_LABELS", "/pr/labels"),
    ("DOWNBEAT_CHECKS", "/checks"),
    ("DOWNBEAT_LABEL", "/label"),
    ("DOWNBEAT_BUDGET", "/budget"),
    ("DOWNBEAT_QUESTION", "/question"),
];

/// Why a command is not run although its rule wanted it.
pub const CHANGED: &str = "it changed meanwhile, or your approval ended";

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ran {
    /// It ran and ended.
    Ended {
        /// How it ended.
        outcome: CheckOutcome,
        /// Its exit code, if it exited.
        code: Option<i32>,
        /// How long it ran.
        took: Duration,
        /// The end of its output. Text from outside.
        output: String,
    },
    /// It was not started, for this reason.
    Not(String),
    /// What it was about is over; it was not started.
    Over,
    /// The engine ended after it was noted as started: nobody knows whether it ran.
    Unsure,
}

/// Returns the variables that say what a command is about. Those without a value are absent.
#[must_use]
pub fn variables(
    (effect, matter): (&Effect, Matter<'_>),
    causes: &[Cause],
    session: &SessionId,
    values: &Value,
) -> Vec<(String, String)> {
    let of_values = VARIABLES.iter().filter_map(|(name, place)| {
        let value = values.pointer(place)?;
        Some(((*name).to_owned(), plain(value)))
    });
    let (comments, errors) = match effect.event.has_comments() {
        true => (text::items(effect, matter, causes), String::new()),
        false => (String::new(), text::items(effect, matter, causes)),
    };
    let more = [
        ("DOWNBEAT_RULE", effect.rule.clone()),
        ("DOWNBEAT_SESSION_ID", session.to_string()),
        ("DOWNBEAT_HAPPENED", text::happened(effect, matter)),
        ("DOWNBEAT_ERRORS", errors),
        ("DOWNBEAT_COMMENTS", comments),
    ];
    let more = more.map(|(name, value)| (name.to_owned(), value));
    let all = of_values.chain(more).map(|(name, value)| (name, bounded(&value)));
    all.filter(|(_, value)| !value.is_empty()).collect()
}

/// Returns a value as text: a list one item a line.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(plain).collect::<Vec<_>>().join("\n"),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Returns a value as a variable can have it.
fn bounded(value: &str) -> String {
    let mut value = value.replace('\0', "");
    let mut end = value.len().min(LONGEST);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    value.truncate(end);
    value
}

/// Returns the run of a command that was noted as started and has no end yet.
pub fn running<'a>(state: &'a State, key: &str, effect: &Effect) -> Option<&'a RunningCommand> {
    let row = state.sessions.get(effect.session.as_ref()?)?;
    row.reacted.get(&effect.subject)?.commands.get(key)
}

/// Notes that a command is started, if the list of commands with the hash `approved` may still run. Returns what there is
/// to record instead if it is not to be started.
///
/// # Errors
/// Fails if it cannot be recorded.
pub fn begin(
    draft: &mut Draft,
    key: &str,
    effect: &Effect,
    (run, approved): (&SessionId, &str),
) -> Result<Result<(), Ran>, ApiError> {
    let at = draft.now();
    let Some(id) = conclude::session_of(draft, effect) else {
        return Ok(Err(Ran::Over));
    };
    let project = draft.session(&id)?.project_id.clone();
    let project = draft.state().projects.get(&project);
    if !project.is_some_and(|project| rule_commands::is_approved(project, approved)) {
        return Ok(Err(Ran::Not(CHANGED.to_owned())));
    }
    let reacted = draft.session(&id)?.reacted.entry(effect.subject.clone());
    let run = run.clone();
    let commands = &mut reacted.or_default().commands;
    commands.insert(key.to_owned(), RunningCommand { run, at });
    Ok(Ok(()))
}

/// Closes an effect with what came of its command.
///
/// # Errors
/// Fails if it cannot be recorded.
pub fn conclude(
    draft: &mut Draft,
    key: &str,
    (effect, command): (&Effect, &RuleCommand),
    ran: &Ran,
) -> Result<(), ApiError> {
    draft.change_effect(key, |effect| effect.state = EffectState::Done);
    let Some(id) = conclude::session_of(draft, effect) else {
        return Ok(());
    };
    if let Some(reacted) = draft.session(&id)?.reacted.get_mut(&effect.subject) {
        reacted.commands.remove(key);
    }
    let more = match ran {
        Ran::Ended { code, output, .. } => json!({ "exitCode": code, "output": output }),
        _ => Value::Null,
    };
    conclude::record(draft, &id, effect, outcome(command, ran), more)
}

/// Says what came of a command.
fn outcome(command: &RuleCommand, ran: &Ran) -> Outcome {
    let line = format!("`{}`", shown::command(&command.argv));
    let (ended, code, took, output) = match ran {
        Ran::Over => return Outcome::Over,
        Ran::Not(why) => return Outcome::Failed(format!("{line} was not run: {why}")),
        Ran::Unsure => {
            let what = "may have run: Downbeat ended meanwhile. It is not run again";
            return Outcome::Failed(format!("{line} {what}"));
        }
        Ran::Ended {
            outcome,
            code,
            took,
            output,
        } => (outcome, code, took, output),
    };
    let last = output.lines().map(first_line).rfind(|line| !line.is_empty());
    let last = last.map_or_else(String::new, |last| format!(": {last}"));
    Outcome::Failed(match (ended, code) {
        (CheckOutcome::Passed, _) => {
            return Outcome::Done(format!("{line} exited with 0 after {} s", took.as_secs()));
        }
        (CheckOutcome::TimedOut, _) => {
            let limit = count(command.limit_minutes, "minute", "minutes");
            format!("{line} did not end within {limit} and was ended")
        }
        (CheckOutcome::TooManyProcesses, _) => {
            format!("{line} started more than {MOST_PROCESSES} processes and was ended")
        }
        (CheckOutcome::NotStarted, _) => format!("{line} could not be started{last}"),
        (CheckOutcome::Failed, Some(code)) => format!("{line} exited with {code}{last}"),
        (CheckOutcome::Failed, None) => format!("{line} was ended by a signal{last}"),
    })
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
