//! `downbeat batch-spawn`: starts a session for each of several issues. An issue that a session works on already is
//! skipped, so that the command can be repeated; the engine decides that.

use super::new::{around, summary};
use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::request::SessionRef;
use downbeat_wire::spawn::{IssueOutcome, StartIssues, StartedIssue};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The issues: 42, acme/shop#42, ENG-42 of Linear, or the addresses of their pages
    #[arg(required = true, value_name = "ISSUE")]
    issues: Vec<String>,
    /// Id or name; default the project around this folder
    #[arg(long, short, value_name = "PROJECT")]
    project: Option<String>,
    /// The agent
    #[arg(long, short, value_name = "AGENT")]
    agent: Option<String>,
    /// The model to request from the agent
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The parent session
    #[arg(long, value_name = "SESSION")]
    parent: Option<String>,
    /// What the agents are asked in addition
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Print what happened as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let project = match &arguments.project {
        Some(project) => project.clone(),
        None => around(&client).await?,
    };
    let request = StartIssues {
        issues: arguments.issues,
        project_id: Some(project),
        prompt: arguments.prompt,
        agent: arguments.agent,
        model: arguments.model,
        parent: arguments.parent,
    };
    let done = client.start_issues(request).await?;
    match arguments.json {
        true => print_json(&done)?,
        false => print(&text(&client, &done).await?)?,
    };
    let has_failed = done.iter().any(|one| one.outcome == IssueOutcome::Failed);
    Ok(if has_failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Says what happened to each issue, and how many there were of each kind.
async fn text(client: &Client, done: &[StartedIssue]) -> Result<String, Failure> {
    let mut text = String::new();
    for one in done {
        text.push_str(&match (one.outcome, &one.session) {
            (IssueOutcome::Started, Some(id)) => {
                let id = id.to_string();
                summary(&client.get_session(SessionRef { id }).await?)
            }
            (outcome, _) => {
                let why = one.why.as_deref().unwrap_or_default();
                format!("{} {}: {}\n", word(outcome), plain(&one.issue), plain(why))
            }
        });
    }
    Ok(text + &counted(done))
}

fn word(outcome: IssueOutcome) -> &'static str {
    match outcome {
        IssueOutcome::Started => "started",
        IssueOutcome::Skipped => "skipped",
        IssueOutcome::Dropped => "dropped",
        IssueOutcome::Failed => "failed",
    }
}

fn counted(done: &[StartedIssue]) -> String {
    use IssueOutcome::{Dropped, Failed, Skipped, Started};
    let number = |outcome| done.iter().filter(|one| one.outcome == outcome).count();
    let each = [Started, Skipped, Failed, Dropped].map(|outcome| (outcome, number(outcome)));
    let shown = each
        .iter()
        .filter(|(outcome, number)| *outcome != Dropped || *number > 0);
    let shown: Vec<String> = shown
        .map(|(outcome, number)| format!("{number} {}", word(*outcome)))
        .collect();
    shown.join(", ") + "\n"
}
