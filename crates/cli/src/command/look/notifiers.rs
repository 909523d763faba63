//! `downbeat notifiers`: who gets notices outside of Downbeat, what became of the last ones, and a test.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::{Paint, plain};
use crate::show::{ago, clock};
use crate::table::{Cell, lines};
use clap::Subcommand;
use downbeat_model::count;
use downbeat_wire::Client as _;
use downbeat_wire::notifier::{NotifierRef, NotifierState};
use downbeat_wire::request::Nothing;
use jiff::Timestamp;

#[derive(Debug, Subcommand)]
pub(in crate::command) enum Arguments {
    /// List the notifiers, with their last delivery and their last error
    List {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Send a test through a notifier, and say what became of it
    Test {
        /// The notifier
        name: String,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    match arguments {
        Arguments::List { json } => {
            let all = client.list_notifiers(Nothing {}).await?;
            match json {
                true => print_json(&all),
                false => print(&listed(Paint::for_stdout(), &all, Timestamp::now())),
            }
        }
        Arguments::Test { name, json } => {
            let tested = client.test_notifier(NotifierRef { name: name.clone() }).await?;
            let line = format!("{}: {}\n", plain(&name), plain(&tested.told));
            match (json, tested.delivered) {
                (true, _) => print_json(&tested),
                (false, true) => print(&line),
                (false, false) => Err(Failure::new(line.trim_end())),
            }
        }
    }
}

fn listed(paint: Paint, all: &[NotifierState], now: Timestamp) -> String {
    let rows: Vec<Vec<Cell>> = all.iter().map(|one| row(paint, one, now)).collect();
    lines(&["NAME", "KIND", "SENDS TO", "GETS", "LAST DELIVERY", ""], &rows)
}

fn row(paint: Paint, one: &NotifierState, now: Timestamp) -> Vec<Cell> {
    let gets: Vec<String> = one
        .gets
        .iter()
        .filter_map(|priority| serde_json::to_value(priority).ok()?.as_str().map(str::to_owned))
        .collect();
    let gets = if gets.is_empty() {
        "nothing".to_owned()
    } else {
        gets.join(", ")
    };
    let delivered = one.delivered_at.map(|at| format!("{} ago", ago(at, now)));
    let wrong = one.problem.is_some() || one.error.is_some();
    let state = state(one, now);
    vec![
        Cell::from(plain(&one.name)),
        Cell::from(one.kind.clone()),
        Cell::from(one.address.clone().unwrap_or_default()),
        Cell::from(gets),
        Cell::from(delivered.unwrap_or_default()),
        if wrong {
            Cell::painted(&state, |text| paint.bad(text))
        } else {
            Cell::from(state)
        },
    ]
}

/// Says what is wrong with a notifier, and what waits for it.
pub(in crate::command) fn state(one: &NotifierState, now: Timestamp) -> String {
    let failed = one.error.as_ref().map(|error| match one.failed_at {
        Some(at) => format!("failed {} ago: {}", ago(at, now), plain(error)),
        None => plain(error),
    });
    let given_up = (one.given_up > 0).then(|| {
        let notices = count(u64::from(one.given_up), "notice", "notices");
        format!("{notices} given up")
    });
    let waiting = (one.waiting > 0).then(|| format!("{} waiting", one.waiting));
    let until = one
        .waits_until
        .map(|until| format!("asks to wait until {}", clock(until, now)));
    let problem = one.problem.as_deref().map(plain);
    let parts = [problem, failed, given_up, waiting, until];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use downbeat_model::reactions::NoticePriority;

    #[test]
    fn a_row_says_what_is_wrong_and_what_waits() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let fine = NotifierState {
            name: "slack".into(),
            kind: "slack".into(),
            address: Some("hooks.slack.com/…".into()),
            gets: vec![NoticePriority::Urgent],
            problem: None,
            waiting: 0,
            delivered_at: Some(at(40)),
            error: None,
            failed_at: None,
            given_up: 0,
            waits_until: None,
        };
        assert_eq!(state(&fine, at(100)), "");
        let wrong = NotifierState {
            error: Some("it answered 404".into()),
            failed_at: Some(at(90)),
            given_up: 2,
            waiting: 3,
            ..fine
        };
        assert_eq!(
            state(&wrong, at(100)),
            "failed 10s ago: it answered 404; 2 notices given up; 3 waiting"
        );
    }
}
