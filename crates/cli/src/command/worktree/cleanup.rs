//! `downbeat cleanup`: has the engine remove the worktrees of sessions that are over, or only their build output, one after
//! another, and prints what went, what stays and why.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json, told_on_terminal};
use crate::paint::plain;
use crate::show::bytes;
use clap::Args;
use downbeat_model::count;
use downbeat_wire::Client as _;
use downbeat_wire::cleanup::{CleanUp, CleanupReason, CleanupTree};

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// Only these sessions
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
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

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let request = CleanUp {
        project: arguments.project,
        sessions: (!arguments.sessions.is_empty()).then_some(arguments.sessions),
        build_output: Some(arguments.build_output),
        dry_run: Some(arguments.dry_run),
    };
    let client = Client::ready(&home).await?;
    let trees = match arguments.dry_run {
        true => client.clean_up(request).await?,
        false => one_by_one(&client, &request).await?,
    };
    match arguments.json {
        true => print_json(&trees),
        false => print(&text(&trees, arguments.dry_run, arguments.build_output)),
    }
}

/// Looks which worktrees can go, then has one after another removed, those of workers before their conductors', so that Ctrl-C
/// stops before the next one. Each request also names those that stayed, since the worktree above them then stays, too.
async fn one_by_one(client: &Client, request: &CleanUp) -> Result<Vec<CleanupTree>, Failure> {
    let look = CleanUp {
        dry_run: Some(true),
        ..request.clone()
    };
    let mut trees = client.clean_up(look).await?;
    let going: Vec<usize> = (0..trees.len()).filter(|at| trees[*at].kept.is_none()).collect();
    for (number, at) in going.iter().enumerate() {
        let name = plain(&trees[*at].name);
        told_on_terminal(&format!("removing {} of {}: {name}", number + 1, going.len()));
        let reached = going[..number].iter().map(|at| &trees[*at]);
        let stayed = reached.filter(|tree| tree.kept.is_some());
        let named = stayed.chain([&trees[*at]]).map(|tree| tree.id.to_string());
        let one = CleanUp {
            sessions: Some(named.collect()),
            dry_run: None,
            ..request.clone()
        };
        for found in client.clean_up(one).await? {
            if let Some(tree) = trees.iter_mut().find(|tree| tree.id == found.id) {
                *tree = found;
            }
        }
    }
    Ok(trees)
}

fn text(trees: &[CleanupTree], dry_run: bool, only_build_output: bool) -> String {
    let all: u64 = trees.iter().map(|tree| tree.bytes).sum();
    let build: u64 = trees.iter().map(|tree| tree.build_bytes).sum();
    let gone = || trees.iter().filter(|tree| tree.kept.is_none());
    let size_of = |tree: &CleanupTree| match only_build_output {
        true => tree.build_bytes,
        false => tree.bytes,
    };
    let because = |tree: &CleanupTree| tree.because.map_or("", CleanupReason::words);
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
