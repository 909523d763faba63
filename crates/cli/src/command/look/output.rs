//! `downbeat output`: prints the last lines of a session's terminal, its last answer, or its changes.

use crate::client::{self, Client};
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::session::{GetOutput, Output, OutputKind};

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// How many lines from the end
    #[arg(long, short = 'n', value_name = "LINES", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    lines: Option<u32>,
    /// The last answer of its agent instead, in full
    #[arg(long, conflicts_with_all = ["lines", "diff"])]
    answer: bool,
    /// The files that it changed instead
    #[arg(long, conflicts_with = "lines")]
    diff: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let engine = client::visit(&home).await?;
    let what = match (arguments.answer, arguments.diff) {
        (true, _) => OutputKind::Answer,
        (_, true) => OutputKind::Diff,
        _ => OutputKind::Screen,
    };
    let output = fetch(&engine.client, arguments.session, what, arguments.lines).await;
    engine.leave().await;
    let output = output?;
    if arguments.json {
        print_json(&output)
    } else {
        print(&text(&output))
    }
}

/// Fetches a text of a session. It contains no control characters: the engine removed them.
pub(in crate::command) async fn fetch(
    client: &Client,
    id: String,
    what: OutputKind,
    lines: Option<u32>,
) -> Result<Output, Failure> {
    let what = Some(what);
    client
        .get_output(GetOutput { id, what, lines })
        .await
        .map_err(Failure::from)
}

/// Formats a text with a line end.
pub(in crate::command) fn text(output: &Output) -> String {
    match output.text.is_empty() {
        true => String::new(),
        false => format!("{}\n", output.text),
    }
}
