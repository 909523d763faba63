//! `downbeat output`: the last lines of a session's terminal, as text.

use crate::client::Client;
use crate::command::{Outcome, print, print_json};
use crate::failure::Failure;
use crate::home::Home;
use clap::Args;
use downbeat_wire::session::{GetOutput, Output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The session
    session: String,
    /// How many lines from the end
    #[arg(long, short = 'n', value_name = "LINES", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    lines: Option<u32>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let output = fetch(&client, arguments.session, arguments.lines).await?;
    if arguments.json {
        print_json(&output)
    } else {
        print(&text(&output))
    }
}

/// The text of a terminal. It holds no control characters: the keeper took them out.
pub(crate) async fn fetch(client: &Client, id: String, lines: Option<u32>) -> Result<Output, Failure> {
    client
        .call("get_output", GetOutput { id, lines })
        .await
        .map_err(Failure::from)
}

/// It with a line's end.
pub(crate) fn text(output: &Output) -> String {
    match output.text.is_empty() {
        true => String::new(),
        false => format!("{}\n", output.text),
    }
}
