//! `downbeat reactions`: what is done by itself about sessions and their pull requests: the rules, why each acts or does
//! not, what was done, and a pause.

use crate::client::Client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::{Paint, plain};
use crate::show::ago;
use crate::table::{Cell, lines};
use clap::Subcommand;
use downbeat_wire::Client as _;
use downbeat_wire::reaction::{PauseReactions, ReactionDone, ReactionRule, ReactionState, Reactions};
use downbeat_wire::request::{ProjectRef, SessionRef};
use jiff::Timestamp;

#[derive(Debug, Subcommand)]
pub(in crate::command) enum Arguments {
    /// List the rules of a project
    List {
        /// The project
        project: String,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what each rule does about a session and its pull requests, and why
    Explain {
        /// The session
        session: String,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// List what was done about a session and its pull requests
    History {
        /// The session
        session: String,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Do nothing by itself about a session and its pull requests for now
    Pause {
        /// The session
        session: String,
    },
    /// Go on: what is new since the pause is done
    Resume {
        /// The session
        session: String,
    },
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    match arguments {
        Arguments::List { project, json } => {
            let rules = client.list_reactions(ProjectRef { id: project }).await?;
            match json {
                true => print_json(&rules),
                false => print(&list(&rules)),
            }
        }
        Arguments::Explain { session, json } => {
            let all = client.explain_reactions(SessionRef { id: session }).await?;
            match json {
                true => print_json(&all),
                false => print(&explained(&all)),
            }
        }
        Arguments::History { session, json } => {
            let done = client.reaction_history(SessionRef { id: session }).await?;
            match json {
                true => print_json(&done),
                false => print(&history(&done)),
            }
        }
        Arguments::Pause { session } => pause(&client, session, true).await,
        Arguments::Resume { session } => pause(&client, session, false).await,
    }
}

async fn pause(client: &Client, id: String, paused: bool) -> Outcome {
    let session = client.pause_reactions(PauseReactions { id, paused }).await?;
    let name = plain(&session.name);
    print(&match paused {
        true => format!("nothing is done by itself about {name} and its pull requests\n"),
        false => format!("the reactions to {name} and its pull requests go on\n"),
    })
}

fn list(rules: &[ReactionRule]) -> String {
    let rows: Vec<Vec<Cell>> = rules.iter().map(row).collect();
    let changed = rules.iter().find_map(|rule| rule.file.as_deref());
    let table = lines(
        &["EVENT", "ACTION", "ATTEMPTS", "YOU ARE NOTIFIED", "MESSAGE"],
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
        Cell::from(plain(
            rule.message
                .as_deref()
                .unwrap_or_default()
                .lines()
                .next()
                .unwrap_or_default(),
        )),
    ]
}

fn period(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

fn explained(all: &[Reactions]) -> String {
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

fn history(done: &[ReactionDone]) -> String {
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
                Cell::from(one.outcome.clone()),
                Cell::from(plain(&one.detail)),
            ]
        })
        .collect();
    lines(&["WHEN", "EVENT", "RESULT", "WHAT"], &rows)
}
