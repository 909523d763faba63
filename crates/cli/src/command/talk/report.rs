//! `downbeat report` and `downbeat ask`: send a worker's report or question to its conductor, for agents
//! without tools. Typed inside the worker's own session.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print};
use clap::{Args, ValueEnum, ValueHint};
use downbeat_wire::Client as _;
use downbeat_wire::report::{ReportResult, ReportStatus};
use downbeat_wire::worker::AskConductor;

#[derive(Debug, Args)]
pub(in crate::command) struct Report {
    /// How the task went
    status: Word,
    /// What was done, run and seen, and what is left
    #[arg(allow_hyphen_values = true)]
    summary: String,
    /// A relevant file, relative to the workspace; can be repeated
    #[arg(long = "file", value_name = "PATH", value_hint = ValueHint::FilePath)]
    files: Vec<String>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct Ask {
    /// One clear question
    #[arg(allow_hyphen_values = true)]
    question: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Word {
    Done,
    Partial,
    Blocked,
    Failed,
}

pub(in crate::command) async fn report(arguments: Report, home: Home) -> Outcome {
    let id = own(&home, "report")?;
    let request = ReportResult {
        id,
        status: match arguments.status {
            Word::Done => ReportStatus::Done,
            Word::Partial => ReportStatus::Partial,
            Word::Blocked => ReportStatus::Blocked,
            Word::Failed => ReportStatus::Failed,
        },
        summary: arguments.summary,
        files: Some(arguments.files),
    };
    let client = Client::ready(&home).await?;
    client.report_result(request).await?;
    print("reported to the conductor\n")
}

pub(in crate::command) async fn ask(arguments: Ask, home: Home) -> Outcome {
    let request = AskConductor {
        id: own(&home, "ask")?,
        question: arguments.question,
    };
    let client = Client::ready(&home).await?;
    client.ask_conductor(request).await?;
    print("asked the conductor; the answer arrives as the next message\n")
}

/// Returns the id of the session around this process.
fn own(home: &Home, what: &str) -> Result<String, Failure> {
    let inside = home.inside().map(|inside| inside.session);
    inside.ok_or_else(|| {
        Failure::usage(format!("`downbeat {what}` works only inside a worker's session"))
            .hint("to send a message to a session, use `downbeat send`")
    })
}
