//! `downbeat cleanup`: removes the worktrees of sessions that have ended or were merged, after saving them, and archives these
//! sessions. What holds unsaved work, a working agent or somebody else's files stays, with the reason. `--build-output`
//! deletes only what tools make again.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use crate::show::bytes;
use clap::Args;
use downbeat_model::{SessionId, Status, Workspace, count, lifecycle::Stage};
use downbeat_wire::Client as _;
use downbeat_wire::request::{OffTheList, SessionRef};
use downbeat_wire::session::{SessionFilter, SessionSummary, StopSessions};
use downbeat_wire::workspace::{BuildOutput, ClearBuildOutput, RemoveWorkspace, WorkspaceState};
use serde::Serialize;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// Only sessions of this project
    #[arg(long, short, value_name = "PROJECT")]
    project: Option<String>,
    /// Keep the sessions and their worktrees, and delete only build output in worktrees of ended sessions
    #[arg(long)]
    build_output: bool,
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
    /// The size of the build output in it, in bytes.
    build_bytes: u64,
    /// Whether it was merged, or has ended.
    because: &'static str,
    /// Why it stays; absent if it goes.
    kept: Option<String>,
    /// Whether its agent has to be ended first.
    #[serde(skip)]
    is_live: bool,
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
            trees.push(look(&client, &session, arguments.build_output).await?);
        }
    }
    if !arguments.dry_run {
        for tree in trees.iter_mut().filter(|tree| tree.kept.is_none()) {
            let done = match arguments.build_output {
                true => build_output(&client, &tree.id, false).await.map(drop),
                false => put_away(&client, tree).await,
            };
            tree.kept = done.err().map(|failure| failure.0.message);
        }
    }
    match arguments.json {
        true => print_json(&trees),
        false => print(&text(&trees, arguments.dry_run, arguments.build_output)),
    }
}

async fn look(client: &Client, session: &SessionSummary, only_build_output: bool) -> Result<Tree, Failure> {
    let id = session.id.to_string();
    let state = client.get_workspace(SessionRef { id }).await?;
    // A worktree that git cannot read says so as the reason why it stays.
    let output = build_output(client, &session.id, true).await;
    let build_bytes = output.as_ref().map_or(0, |output| output.bytes);
    let kept = match only_build_output {
        true if !session.status.is_ended() => Some(format!("it is {}", session.status.as_str())),
        true if build_bytes == 0 => Some(output.err().map_or_else(
            || "it has no build output".to_owned(),
            |failure| failure.0.message,
        )),
        true => None,
        false => obstacle(session, &state),
    };
    Ok(Tree {
        id: session.id.clone(),
        name: session.name.clone(),
        bytes: state.bytes,
        build_bytes,
        because: if is_merged(session) { "merged" } else { "ended" },
        kept,
        is_live: !session.status.is_ended(),
    })
}

fn is_merged(session: &SessionSummary) -> bool {
    let lifecycle = session.lifecycle.as_ref();
    lifecycle.is_some_and(|lifecycle| lifecycle.stage == Stage::Merged)
}

/// Measures or deletes the build output of a session.
async fn build_output(client: &Client, id: &SessionId, is_dry: bool) -> Result<BuildOutput, Failure> {
    let request = ClearBuildOutput {
        id: id.to_string(),
        dry_run: Some(is_dry),
    };
    Ok(client.clear_build_output(request).await?)
}

/// Returns why a worktree stays.
fn obstacle(session: &SessionSummary, state: &WorkspaceState) -> Option<String> {
    let is_at_rest = matches!(session.status, Status::Idle | Status::Paused);
    let can_end = is_merged(session) && is_at_rest && session.queued == 0 && !session.conducts;
    if !(session.status.is_ended() || can_end) {
        return Some(format!("it is {}", session.status.as_str()));
    }
    // An agent that has nothing to do is ended first.
    let blocked = state.blocked.as_ref().filter(|_| session.status.is_ended());
    if let Some(why) = blocked.or(state.unreadable.as_ref()) {
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

/// Ends the agent, removes the worktree and archives the session.
async fn put_away(client: &Client, tree: &Tree) -> Result<(), Failure> {
    let id = &tree.id;
    let stop = StopSessions {
        id: Some(id.to_string()),
        project: None,
        all: None,
    };
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
    if tree.is_live {
        // It may have been given work since it was looked at.
        let now = client.get_session(SessionRef { id: id.to_string() }).await?;
        if now.queued > 0 || !matches!(now.status, Status::Idle | Status::Paused) {
            return Err(Failure::new(format!("{} has work again", tree.name)));
        }
        client.stop_sessions(stop).await?;
    }
    client.remove_workspace(remove).await?;
    client.archive_session(archive).await?;
    Ok(())
}

fn text(trees: &[Tree], dry_run: bool, only_build_output: bool) -> String {
    let all: u64 = trees.iter().map(|tree| tree.bytes).sum();
    let build: u64 = trees.iter().map(|tree| tree.build_bytes).sum();
    let gone = || trees.iter().filter(|tree| tree.kept.is_none());
    let size_of = |tree: &Tree| match only_build_output {
        true => tree.build_bytes,
        false => tree.bytes,
    };
    let because = |tree: &Tree| match only_build_output {
        true => "build output",
        false => tree.because,
    };
    let mut text = String::new();
    for tree in trees {
        let (name, size) = (plain(&tree.name), bytes(size_of(tree)));
        text.push_str(&match &tree.kept {
            Some(why) => format!("  stays    {name} ({size}): {}\n", plain(why)),
            None if dry_run => format!("  can go   {name} ({size}): {}\n", because(tree)),
            None => format!("  removed  {name} ({size}): {}\n", because(tree)),
        });
    }
    let freed: u64 = gone().map(size_of).sum();
    let number = count(gone().count() as u64, "worktree", "worktrees");
    let hold = format!(
        "worktrees hold {} ({} of it build output)",
        bytes(all),
        bytes(build)
    );
    text.push_str(&match dry_run {
        true if only_build_output => format!("{hold}; {} of {number} can go\n", bytes(freed)),
        true => format!("{hold}; {number} with {} can go\n", bytes(freed)),
        false if only_build_output => format!(
            "{} of {number} removed; what an agent needs of it, it has to build or install again\n",
            bytes(freed)
        ),
        false => format!(
            "{number} with {} removed; `downbeat restore-work SESSION` brings one back\n",
            bytes(freed)
        ),
    });
    text
}
