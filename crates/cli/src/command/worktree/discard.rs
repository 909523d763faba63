//! `downbeat discard`: discards what a session changed in one file, or one hunk of it, and undoes that.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::change::{ChangeScope, DiscardChange, GetChange, HunkPlace, ListChanges, UndoDiscard};

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// The file
    #[arg(required_unless_present = "undo")]
    file: Option<String>,
    /// Only this hunk of the file, counted from 1 as `downbeat diff` prints them
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    hunk: Option<u32>,
    /// Only what is not committed
    #[arg(long)]
    uncommitted: bool,
    /// Undo the discarded change with this number
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["file", "hunk", "uncommitted"])]
    undo: Option<u32>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    if let Some(number) = arguments.undo {
        let id = arguments.session;
        let undone = client.undo_discard(UndoDiscard { id, number }).await?;
        let paths: Vec<String> = undone.paths.iter().map(|path| plain(path)).collect();
        return match arguments.json {
            true => print_json(&undone),
            false => print(&format!("restored {}\n", paths.join(", "))),
        };
    }
    let request = request(&client, &arguments).await?;
    let done = client.discard_change(request).await?;
    if arguments.json {
        return print_json(&done);
    }
    let (path, session, number) = (plain(&done.path), plain(&arguments.session), done.number);
    print(&format!(
        "discarded the change of {path}\nundo it: downbeat discard {session} --undo {number}\n"
    ))
}

/// Finds the file and the hunk as they are now.
async fn request(client: &Client, arguments: &Arguments) -> Result<DiscardChange, Failure> {
    let id = arguments.session.clone();
    let path = arguments.file.clone().unwrap_or_default();
    let scope = arguments.uncommitted.then_some(ChangeScope::Uncommitted);
    let listing = ListChanges {
        id: id.clone(),
        scope,
        ..ListChanges::default()
    };
    let list = client.list_changes(listing).await?;
    let found = list.files.into_iter().find(|file| file.path == path);
    let file = found.ok_or_else(|| {
        let (path, since) = (plain(&path), plain(&list.since));
        Failure::usage(format!("{path} did not change since {since}"))
    })?;
    let content_id = file.content_id.ok_or_else(|| {
        Failure::new(format!("{} is too large to be discarded here", plain(&path)))
            .hint("use git in the worktree")
    })?;
    let hunk = match arguments.hunk {
        None => None,
        Some(number) => Some(hunk(client, &id, &path, file.old_path.clone(), scope, number).await?),
    };
    Ok(DiscardChange {
        id,
        path,
        old_path: file.old_path,
        scope,
        turn: None,
        content_id,
        hunk,
    })
}

/// Finds the hunk with this number.
async fn hunk(
    client: &Client,
    id: &str,
    path: &str,
    old_path: Option<String>,
    scope: Option<ChangeScope>,
    number: u32,
) -> Result<HunkPlace, Failure> {
    let mut places = Vec::new();
    let mut from = None;
    loop {
        let wanted = GetChange {
            id: id.to_owned(),
            path: path.to_owned(),
            old_path: old_path.clone(),
            scope,
            from,
            lines: Some(5_000),
            ..GetChange::default()
        };
        let page = client.get_change(wanted).await?;
        let begun = page.hunks.iter().filter(|hunk| !hunk.continues);
        places.extend(begun.map(|hunk| (hunk.old_start, hunk.new_start)));
        match page.next {
            Some(next) if Some(next) > from => from = Some(next),
            _ => break,
        }
    }
    let place = places.get(number as usize - 1);
    let (old_start, new_start) = *place.ok_or_else(|| {
        let has = places.len();
        Failure::usage(format!("{} has no hunk {number}, but {has}", plain(path)))
    })?;
    Ok(HunkPlace {
        old_start,
        new_start,
        context: None,
    })
}
