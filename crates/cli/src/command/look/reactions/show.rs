//! How the answers of `downbeat reactions` are printed.

use crate::paint::{Paint, plain};
use crate::show::ago;
use crate::table::{Cell, lines};
use downbeat_wire::reaction::{ReactionDone, ReactionRule, ReactionState, Reactions, SimulatedReaction};
use jiff::Timestamp;

pub(super) fn list(rules: &[ReactionRule]) -> String {
    let rows: Vec<Vec<Cell>> = rules.iter().map(row).collect();
    let changed = rules.iter().find_map(|rule| rule.file.as_deref());
    let table = lines(
        &[
            "EVENT",
            "ACTION",
            "ATTEMPTS",
            "YOU ARE NOTIFIED",
            "MESSAGE OR COMMAND",
        ],
        &rows,
    );
    match changed {
        None => table,
        Some(file) => format!("{table}* changed by the project's {}\n", plain(file)),
    }
}

fn row(rule: &ReactionRule) -> Vec<Cell> {
    let mark = if rule.is_changed { "*" } else { "" };
    let mut action = match rule.auto {
        true => rule.action.clone(),
        false => format!("{}, not by itself", rule.action),
    };
    if let Some(condition) = &rule.condition {
        action.push_str(&format!(", if {}", plain(condition)));
    }
    let after = rule
        .escalates_after
        .map_or_else(String::new, |seconds| format!("after {}", period(seconds)));
    vec![
        Cell::from(format!("{}{mark}", rule.rule)),
        Cell::from(action),
        Cell::from(
            rule.attempts
                .map_or_else(String::new, |attempts| attempts.to_string()),
        ),
        Cell::from(after),
        Cell::from(what(rule)),
    ]
}

/// Returns the first line of what a rule sends, or the command that it runs.
fn what(rule: &ReactionRule) -> String {
    match (&rule.command, &rule.message) {
        (Some(command), _) if rule.needs_approval => {
            format!("{} (waits for your approval)", plain(command))
        }
        (Some(command), _) => plain(command),
        (None, message) => plain(
            message
                .as_deref()
                .unwrap_or_default()
                .lines()
                .next()
                .unwrap_or_default(),
        ),
    }
}

fn period(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

pub(super) fn explained(all: &[Reactions]) -> String {
    let mut text = String::new();
    for one in all {
        text.push_str(&format!("{}\n", plain(&one.title)));
        if one.reactions.is_empty() {
            text.push_str("  nothing to react to\n");
        }
        for reaction in &one.reactions {
            text.push_str(&format!("  {}\n", state(Paint::for_stdout(), reaction)));
        }
    }
    text
}

/// Formats what a rule did and does.
pub(in crate::command) fn state(paint: Paint, reaction: &ReactionState) -> String {
    let now = Timestamp::now();
    let notified = match reaction.notified_at {
        Some(at) if at > now => format!("; you are notified in {}", ago(now, at)),
        Some(_) => "; you were notified".to_owned(),
        None => String::new(),
    };
    let text = format!("{}: {}{notified}", reaction.rule, plain(&reaction.says));
    match reaction.stands {
        true => text,
        false => paint.faint(&text),
    }
}

pub(super) fn history(done: &[ReactionDone]) -> String {
    if done.is_empty() {
        return "nothing was done by itself yet\n".to_owned();
    }
    let now = Timestamp::now();
    let rows: Vec<Vec<Cell>> = done
        .iter()
        .map(|one| {
            vec![
                Cell::from(format!("{} ago", ago(one.at, now))),
                Cell::from(one.rule.clone()),
                Cell::from(one.outcome.as_str().to_owned()),
                Cell::from(plain(&one.detail)),
            ]
        })
        .collect();
    let table = lines(&["WHEN", "EVENT", "RESULT", "WHAT"], &rows);
    // The table ends with the newest entry; so does the output of commands below it.
    let last = done.last().and_then(|one| one.output.as_ref());
    let output = last.filter(|output| !output.is_empty());
    let output = output.map_or_else(String::new, |output| {
        let quoted = output.lines().map(|line| format!("  | {}\n", plain(line)));
        format!(
            "the end of the last command's output:\n{}",
            quoted.collect::<String>()
        )
    });
    table + &output
}

pub(super) fn simulated(all: &[SimulatedReaction]) -> String {
    let mut text = String::new();
    for one in all {
        text.push_str(&format!("{}\n", one.rule));
        if let Some(nothing) = &one.nothing {
            text.push_str(&format!("  nothing is done: {}\n", plain(nothing)));
        }
        for step in &one.steps {
            text.push_str(&format!("  {}: {}\n", step.when, step.what));
            for line in step.text.iter().flat_map(|text| text.lines()) {
                text.push_str(&format!("    | {}\n", plain(line)));
            }
        }
    }
    text
}
