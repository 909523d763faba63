//! `downbeat pr create`: pushes the branch of a session and opens a pull request for it.

use super::input::{session, text};
use crate::client::Client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use clap::{Args, ValueHint};
use downbeat_model::count;
use downbeat_wire::Client as _;
use downbeat_wire::pull_request::{CreatePull, PullOpened};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session; inside a session default that one
    session: Option<String>,
    /// Its title; default what its only commit says, or the session's title
    #[arg(long, short)]
    title: Option<String>,
    /// Its text in Markdown; default what its commits say
    #[arg(long, short, allow_hyphen_values = true)]
    body: Option<String>,
    /// Read its text from a file; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "body", value_hint = ValueHint::FilePath)]
    body_file: Option<PathBuf>,
    /// The branch that it goes to; default the project's default branch
    #[arg(long, value_name = "BRANCH")]
    base: Option<String>,
    /// Open it as a draft
    #[arg(long)]
    draft: bool,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let request = CreatePull {
        id: session(arguments.session, &home)?,
        title: arguments.title,
        body: text(arguments.body, arguments.body_file)?,
        base: arguments.base,
        draft: arguments.draft.then_some(true),
    };
    let opened = Client::ready(&home).await?.create_pull(request).await?;
    match arguments.json {
        true => print_json(&opened),
        false => print(&shown(&opened)),
    }
}

fn shown(opened: &PullOpened) -> String {
    let how = if opened.was_open {
        "is open already"
    } else {
        "is open"
    };
    let left = match opened.uncommitted {
        0 => String::new(),
        many => format!(
            "{} not in it\n",
            count(many, "uncommitted file is", "uncommitted files are")
        ),
    };
    format!("#{} {how}: {}\n{left}", opened.number, plain(&opened.url))
}
