//! `downbeat cleanup`: removes the worktrees of sessions that have ended, after saving them, and archives these sessions.
//! What holds unsaved work, a running program or somebody else's files stays, with the reason.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use crate::show::bytes;
use clap::Args;
use downbeat_model::{SessionId, Workspace, count, lifecycle::Stage};
use downbeat_wire::Client as _;
use downbeat_wire::request::{OffTheList, SessionRef};
use downbeat_wire::session::{SessionFilter, SessionSummary};
use downbeat_wire::workspace::{RemoveWorkspace, WorkspaceState};
use serde::Serialize;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// Only sessions of this project
    #[arg(long, short, value_name = "PROJECT")]
    project: Option<String>,
    /// Show what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// A session with a worktree.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tree {
    /// The session.
    id: SessionId,
    /// Its name.
    name: String,
    /// The size of its worktree, in bytes.
    bytes: u64,
    /// Whether it was merged, or has ended.
    because: &'static str,
    /// Why it stays; absent if it goes.
    kept: Option<String>,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let filter = SessionFilter {
        project: arguments.project,
        ..SessionFilter::default()
    };
    let mut trees = Vec::new();
    for session in client.list_sessions(filter).await? {
        if session.workspace == Workspace::Worktree && session.workspace_path.is_some() {
            trees.push(look(&client, &session).await?);
        }
    }
    if !arguments.dry_run {
        for tree in trees.iter_mut().filter(|tree| tree.kept.is_none()) {
            tree.kept = put_away(&client, &tree.id).await;
        }
    }
    match arguments.json {
        true => print_json(&trees),
        false => print(&text(&trees, arguments.dry_run)),
    }
}

async fn look(client: &Client, session: &SessionSummary) -> Result<Tree, Failure> {
    let id = session.id.to_string();
    let state = client.get_workspace(SessionRef { id }).await?;
    let is_merged = session
        .lifecycle
        .as_ref()
        .is_some_and(|lifecycle| lifecycle.stage == Stage::Merged);
    Ok(Tree {
        id: session.id.clone(),
        name: session.name.clone(),
        bytes: state.bytes,
        because: if is_merged { "merged" } else { "ended" },
        kept: obstacle(session, &state),
    })
}

/// Returns why a worktree stays.
fn obstacle(session: &SessionSummary, state: &WorkspaceState) -> Option<String> {
    if !session.status.is_ended() {
        return Some(format!("it is {}", session.status.as_str()));
    }
    if let Some(why) = state.blocked.as_ref().or(state.unreadable.as_ref()) {
        return Some(why.clone());
    }
    let held = [
        (
            u64::from(state.dirty_count),
            "uncommitted file",
            "uncommitted files",
        ),
        (u64::from(state.unpushed), "unpushed commit", "unpushed commits"),
        (
            state.changed_copies.len() as u64,
            "changed copy",
            "changed copies",
        ),
    ];
    let held: Vec<String> = held
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| count(number, one, many))
        .collect();
    let lost = state.ignored.iter().find(|place| !place.saved);
    let lost = lost.map(|place| format!("{}, which is too large to save", place.path));
    let held: Vec<String> = held.into_iter().chain(lost).collect();
    (!held.is_empty()).then(|| format!("it has {}", held.join(", ")))
}

/// Removes the worktree and archives the session. Returns why that was refused.
async fn put_away(client: &Client, id: &SessionId) -> Option<String> {
    let remove = RemoveWorkspace {
        id: id.to_string(),
        force: None,
        delete_branch: None,
        forget: None,
    };
    let archive = OffTheList {
        id: id.to_string(),
        force: None,
    };
    let done = async {
        client.remove_workspace(remove).await.map_err(Failure::from)?;
        client.archive_session(archive).await.map_err(Failure::from)
    };
    done.await.err().map(|failure| failure.0.message)
}

fn text(trees: &[Tree], dry_run: bool) -> String {
    let all: u64 = trees.iter().map(|tree| tree.bytes).sum();
    let gone = || trees.iter().filter(|tree| tree.kept.is_none());
    let mut text = String::new();
    for tree in trees {
        let (name, size) = (plain(&tree.name), bytes(tree.bytes));
        text.push_str(&match &tree.kept {
            Some(why) => format!("  stays    {name} ({size}): {}\n", plain(why)),
            None if dry_run => format!("  can go   {name} ({size}): {}\n", tree.because),
            None => format!("  removed  {name} ({size}): {}\n", tree.because),
        });
    }
    let freed: u64 = gone().map(|tree| tree.bytes).sum();
    let number = count(gone().count() as u64, "worktree", "worktrees");
    text.push_str(&match dry_run {
        true => format!(
            "worktrees hold {}; {number} with {} can go\n",
            bytes(all),
            bytes(freed)
        ),
        false => format!(
            "{number} with {} removed; `downbeat restore-work SESSION` brings one back\n",
            bytes(freed)
        ),
    });
    text
}
