//! `downbeat pr edit`, `comment`, `resolve`, `label`, `request-review`, `ready`, `draft` and `close`: change a pull request
//! at its forge.

use super::input::text;
use crate::client::Client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use clap::{Args, ValueHint};
use downbeat_wire::Client as _;
use downbeat_wire::pull_request::{ChangePull, PullChange};
use std::path::PathBuf;

/// Which pull request is changed.
#[derive(Debug, Args)]
pub(in crate::command) struct Which {
    /// The session
    session: String,
    /// The number of the pull request; default the session's only open one
    #[arg(long, short = 'n', value_name = "NUMBER")]
    number: Option<u64>,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(in crate::command) struct Edit {
    #[command(flatten)]
    which: Which,
    /// Its new title
    #[arg(long, short)]
    title: Option<String>,
    /// Its new text in Markdown
    #[arg(long, short, allow_hyphen_values = true)]
    body: Option<String>,
    /// Read its new text from a file; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "body", value_hint = ValueHint::FilePath)]
    body_file: Option<PathBuf>,
    /// The branch that it goes to from now on
    #[arg(long, value_name = "BRANCH")]
    base: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct Comment {
    #[command(flatten)]
    which: Which,
    /// The text in Markdown; `-` reads standard input
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// Reply in this review thread, which `downbeat pr show` names
    #[arg(long, value_name = "THREAD")]
    thread: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct Resolve {
    #[command(flatten)]
    which: Which,
    /// The review thread, which `downbeat pr show` names
    thread: String,
    /// Open it again
    #[arg(long)]
    reopen: bool,
}

#[derive(Debug, Args)]
pub(in crate::command) struct Label {
    #[command(flatten)]
    which: Which,
    /// A label to add; can be repeated
    #[arg(long, value_name = "LABEL")]
    add: Vec<String>,
    /// A label to remove; can be repeated
    #[arg(long, value_name = "LABEL")]
    remove: Vec<String>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct RequestReview {
    #[command(flatten)]
    which: Which,
    /// Accounts whose reviews are requested
    people: Vec<String>,
    /// A team whose review is requested, by its short name; can be repeated
    #[arg(long, value_name = "TEAM")]
    team: Vec<String>,
}

pub(in crate::command) async fn edit(edit: Edit, home: Home) -> Outcome {
    let change = PullChange::Edit {
        title: edit.title,
        body: text(edit.body, edit.body_file)?,
        base: edit.base,
    };
    send(edit.which, change, "changed", home).await
}

pub(in crate::command) async fn comment(comment: Comment, home: Home) -> Outcome {
    let body = match comment.text.as_str() {
        "-" => text(None, Some("-".into()))?.unwrap_or_default(),
        _ => comment.text,
    };
    let (change, done) = match comment.thread {
        Some(thread) => (PullChange::Reply { thread, body }, "replied"),
        None => (PullChange::Comment { body }, "commented"),
    };
    send(comment.which, change, done, home).await
}

pub(in crate::command) async fn resolve(resolve: Resolve, home: Home) -> Outcome {
    let change = PullChange::Resolve {
        thread: resolve.thread,
        resolved: !resolve.reopen,
    };
    let done = if resolve.reopen {
        "thread opened again"
    } else {
        "thread resolved"
    };
    send(resolve.which, change, done, home).await
}

pub(in crate::command) async fn label(label: Label, home: Home) -> Outcome {
    let change = PullChange::Label {
        add: label.add,
        remove: label.remove,
    };
    send(label.which, change, "labels changed", home).await
}

pub(in crate::command) async fn request_review(request: RequestReview, home: Home) -> Outcome {
    let change = PullChange::RequestReview {
        people: request.people,
        teams: request.team,
    };
    send(request.which, change, "review requested", home).await
}

pub(in crate::command) async fn draft(which: Which, draft: bool, home: Home) -> Outcome {
    let done = if draft {
        "is a draft now"
    } else {
        "is ready for review"
    };
    send(which, PullChange::Draft { draft }, done, home).await
}

pub(in crate::command) async fn close(which: Which, home: Home) -> Outcome {
    send(which, PullChange::Close, "closed", home).await
}

async fn send(which: Which, change: PullChange, done: &str, home: Home) -> Outcome {
    let request = ChangePull {
        id: which.session,
        number: which.number,
        change,
    };
    let changed = Client::ready(&home).await?.change_pull(request).await?;
    match which.json {
        true => print_json(&changed),
        false => print(&format!("#{} {done}: {}\n", changed.number, plain(&changed.url))),
    }
}
