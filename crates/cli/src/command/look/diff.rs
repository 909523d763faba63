//! `downbeat diff`: prints what a session changed, as a unified diff or as a list of files.

use crate::client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::Paint;
use crate::unified::{head, hunks, stat};
use clap::Args;
use downbeat_model::shown::line;
use downbeat_wire::Client as _;
use downbeat_wire::change::{ChangeScope, FileDiff, GetChange, ListChanges};

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// Only this file, or the files below this folder
    path: Option<String>,
    /// List the files, without their lines
    #[arg(long)]
    stat: bool,
    /// Only what changed since a turn ended: its number, or `last` for the latest turn
    #[arg(long, value_name = "TURN", conflicts_with_all = ["commit", "committed", "uncommitted"])]
    since: Option<String>,
    /// Only what this commit changed
    #[arg(long, value_name = "COMMIT", conflicts_with_all = ["committed", "uncommitted"])]
    commit: Option<String>,
    /// Only what is committed
    #[arg(long, conflicts_with = "uncommitted")]
    committed: bool,
    /// Only what is not committed
    #[arg(long)]
    uncommitted: bool,
    /// Ignore changes of white space
    #[arg(long, short = 'w')]
    ignore_space: bool,
    /// How many lines to show around a change
    #[arg(long, short = 'U', value_name = "LINES", value_parser = clap::value_parser!(u32).range(0..=200))]
    context: Option<u32>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let request = request(&arguments)?;
    let engine = client::visit(&home).await?;
    let shown = show(&engine.client, &arguments, request).await;
    engine.leave().await;
    shown
}

/// The request for the list of files.
fn request(arguments: &Arguments) -> Result<ListChanges, Failure> {
    let since = arguments.since.as_deref();
    let turn = match since.filter(|since| *since != "last") {
        Some(text) => Some(text.parse().map_err(|_| {
            let text = line(text);
            Failure::usage(format!(
                "--since takes the number of a turn, or last, not {text:?}"
            ))
        })?),
        None => None,
    };
    let scope = match arguments {
        _ if since.is_some() => ChangeScope::Turn,
        Arguments { commit: Some(_), .. } => ChangeScope::Commit,
        Arguments { committed: true, .. } => ChangeScope::Committed,
        Arguments {
            uncommitted: true, ..
        } => ChangeScope::Uncommitted,
        _ => ChangeScope::All,
    };
    Ok(ListChanges {
        id: arguments.session.clone(),
        scope: Some(scope),
        commit: arguments.commit.clone(),
        turn,
        ignore_space: arguments.ignore_space.then_some(true),
    })
}

async fn show(client: &client::Client, arguments: &Arguments, request: ListChanges) -> Outcome {
    let mut list = client
        .list_changes(request.clone())
        .await
        .map_err(Failure::from)?;
    if let Some(wanted) = &arguments.path {
        let folder = format!("{}/", wanted.trim_end_matches('/'));
        list.files
            .retain(|file| file.path == *wanted || file.path.starts_with(&folder));
        if list.files.is_empty() {
            let (wanted, since) = (line(wanted), line(&list.since));
            return Err(Failure::usage(format!("{wanted} did not change since {since}")));
        }
    }
    if arguments.json {
        return print_json(&list);
    }
    if let Some(note) = &list.note {
        eprintln!("note: {}", line(note));
    }
    let paint = Paint::for_stdout();
    if arguments.stat || list.files.is_empty() {
        return print(&stat(paint, &list));
    }
    for file in &list.files {
        let wanted = GetChange {
            id: request.id.clone(),
            path: file.path.clone(),
            old_path: file.old_path.clone(),
            scope: request.scope,
            commit: request.commit.clone(),
            turn: request.turn,
            ignore_space: request.ignore_space,
            context: arguments.context,
            from: None,
            lines: Some(5_000),
        };
        let diff = whole(client, wanted).await?;
        let text = format!("{}{}", head(paint, file, &diff), hunks(paint, &diff.hunks));
        print(&text)?;
    }
    crate::outcome::DONE
}

/// Reads all pages of a file. The head of a hunk says how many lines it has, so no page is printed before the last one.
async fn whole(client: &client::Client, mut wanted: GetChange) -> Result<FileDiff, Failure> {
    let mut diff = client.get_change(wanted.clone()).await.map_err(Failure::from)?;
    while let Some(next) = diff.next {
        wanted.from = Some(next);
        let page = client.get_change(wanted.clone()).await.map_err(Failure::from)?;
        for hunk in page.hunks {
            match diff.hunks.last_mut() {
                Some(last) if hunk.continues => last.rows.extend(hunk.rows),
                _ => diff.hunks.push(hunk),
            }
        }
        // The file may have changed between two pages.
        diff.next = page.next.filter(|further| *further > next);
    }
    Ok(diff)
}
