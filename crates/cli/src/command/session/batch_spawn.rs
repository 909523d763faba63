//! `downbeat batch-spawn`: starts a session for each of several issues. An issue that a session works on already is
//! skipped, so that the command can be repeated.

use super::new::{around, summary};
use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use clap::Args;
use downbeat_model::{SessionId, lifecycle::Stage};
use downbeat_wire::Client as _;
use downbeat_wire::request::ProjectRef;
use downbeat_wire::session::{SessionFilter, SessionSummary};
use downbeat_wire::spawn::NewSession;
use serde::Serialize;
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

/// What happened to one issue.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Done {
    /// The issue, as it was named.
    issue: String,
    /// `started`, `skipped` or `failed`.
    outcome: &'static str,
    /// The session that works on it.
    session: Option<SessionId>,
    /// Why it was skipped or failed.
    why: Option<String>,
    #[serde(skip)]
    text: String,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let project = match &arguments.project {
        Some(project) => project.clone(),
        None => around(&client).await?,
    };
    let project = client.get_project(ProjectRef { id: project }).await?;
    let mut done: Vec<Done> = Vec::new();
    for issue in unique(&arguments.issues) {
        let filter = SessionFilter {
            project: Some(project.id.to_string()),
            ..SessionFilter::default()
        };
        let sessions = client.list_sessions(filter).await?;
        let at_work = sessions.iter().find(|one| works_on(one, &issue));
        done.push(match at_work {
            Some(session) => skipped(issue, session),
            None => start(&client, &arguments, (project.id.as_str(), issue)).await,
        });
    }
    match arguments.json {
        true => print_json(&done)?,
        false => print(&text(&done))?,
    };
    let has_failed = done.iter().any(|one| one.outcome == "failed");
    Ok(if has_failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

async fn start(client: &Client, arguments: &Arguments, (project, issue): (&str, String)) -> Done {
    let request = NewSession {
        project_id: Some(project.to_owned()),
        issue: Some(issue.clone()),
        agent: arguments.agent.clone(),
        model: arguments.model.clone(),
        parent: arguments.parent.clone(),
        prompt: arguments.prompt.clone(),
        ..NewSession::default()
    };
    match client.create_session(request).await {
        Ok(session) => Done {
            text: summary(&session),
            issue,
            outcome: "started",
            session: Some(session.id.clone()),
            why: None,
        },
        Err(error) => {
            let failure = Failure::from(error);
            let why = failure.0.message.clone();
            Done {
                text: format!("failed {}: {}\n", plain(&issue), plain(&why)),
                issue,
                outcome: "failed",
                session: None,
                why: Some(why),
            }
        }
    }
}

fn skipped(issue: String, session: &SessionSummary) -> Done {
    let why = format!("{} works on it", session.name);
    Done {
        text: format!("skipped {}: {}\n", plain(&issue), plain(&why)),
        issue,
        outcome: "skipped",
        session: Some(session.id.clone()),
        why: Some(why),
    }
}

/// Returns the issues without repetitions.
fn unique(issues: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for issue in issues {
        if !found.iter().any(|one| bare(one) == bare(issue)) {
            found.push(issue.clone());
        }
    }
    found
}

/// Returns an issue as it is compared: `#42` and `GH-42` are `42`, and the address of a page at Linear is its key.
fn bare(issue: &str) -> &str {
    let issue = issue.trim();
    let page = issue.strip_prefix("https://linear.app/");
    if let Some((_, page)) = page.and_then(|page| page.split_once("/issue/")) {
        return page.split(['/', '#', '?']).next().unwrap_or(page);
    }
    let number = issue.strip_prefix('#').or_else(|| issue.strip_prefix("GH-"));
    number.unwrap_or(issue).trim_end_matches('/')
}

/// Whether a session that has not reached its end works on an issue.
fn works_on(session: &SessionSummary, issue: &str) -> bool {
    let is_over = session
        .lifecycle
        .as_ref()
        .is_some_and(|lifecycle| matches!(lifecycle.stage, Stage::Merged | Stage::Killed));
    let Some(own) = session.issue.as_ref().filter(|_| !is_over) else {
        return false;
    };
    let issue = bare(issue);
    if let Some(key) = &own.key {
        return issue.eq_ignore_ascii_case(key) || issue == own.number.to_string();
    }
    let named = format!("{}#{}", own.repository, own.number);
    issue == own.number.to_string() || issue.eq_ignore_ascii_case(&named) || issue == own.url
}

fn text(done: &[Done]) -> String {
    let number = |outcome: &str| done.iter().filter(|one| one.outcome == outcome).count();
    let lines: String = done.iter().map(|one| one.text.as_str()).collect();
    let (started, skipped, failed) = (number("started"), number("skipped"), number("failed"));
    format!("{lines}{started} started, {skipped} skipped, {failed} failed\n")
}

#[cfg(test)]
mod tests {
    use super::unique;

    #[test]
    fn an_issue_that_is_named_twice_counts_once() {
        let issues = ["42", "#42", "GH-42", "acme/shop#42", "43"].map(String::from);
        assert_eq!(unique(&issues), ["42", "acme/shop#42", "43"]);
        let issues = ["ENG-7", "https://linear.app/acme/issue/ENG-7/round", "ENG-8"].map(String::from);
        assert_eq!(unique(&issues), ["ENG-7", "ENG-8"]);
    }
}
