//! `downbeat orphans`: lists or ends processes that still run although their session is over.

use crate::client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use crate::table::{Cell, lines};
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::orphan::{EndOrphans, Orphan};
use downbeat_wire::request::Nothing;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// Only processes of this session
    session: Option<String>,
    /// End them
    #[arg(long)]
    end: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let of = arguments.session.clone();
    let mut orphans: Vec<Orphan> = match arguments.end {
        true => {
            let session = arguments.session;
            client::look(&home).end_orphans(EndOrphans { session }).await
        }
        false => client::look(&home).list_orphans(Nothing {}).await,
    }?;
    if let Some(of) = &of {
        orphans.retain(|orphan| orphan.session_id.as_str() == of || orphan.session.as_ref() == Some(of));
    }
    if arguments.json {
        return print_json(&orphans);
    }
    if orphans.is_empty() {
        return print(&match of {
            Some(of) => format!("no orphaned processes of {}\n", plain(&of)),
            None => "no orphaned processes\n".to_owned(),
        });
    }
    let rows: Vec<Vec<Cell>> = orphans
        .iter()
        .map(|orphan| {
            let session = orphan.session.as_deref().unwrap_or(orphan.session_id.as_str());
            vec![
                Cell::from(orphan.pid.to_string()),
                Cell::from(plain(&orphan.name)),
                Cell::from(session.to_owned()),
            ]
        })
        .collect();
    let head = if arguments.end { "ended:\n" } else { "" };
    print(&format!("{head}{}", lines(&["PID", "PROGRAM", "SESSION"], &rows)))
}
