//! `downbeat remove`: removes a session's worktree. Work that is not safe is named, and needs a
//! yes; it is saved first in any case.

use crate::client::Client;
use crate::command::{Outcome, print, print_json};
use crate::failure::Failure;
use crate::home::Home;
use crate::paint::plain;
use clap::Args;
use downbeat_wire::Code;
use downbeat_wire::request::SessionRef;
use downbeat_wire::workspace::{Removal, RemoveWorkspace, WorkspaceState};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The session
    session: String,
    /// Yes, although work is uncommitted or unpushed; it is saved first
    #[arg(long, short)]
    force: bool,
    /// Delete its branch too, where it is merged or saved
    #[arg(long)]
    branch: bool,
    /// Take the session off the list too
    #[arg(long)]
    forget: bool,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let id = arguments.session.clone();
    let request = RemoveWorkspace {
        id: id.clone(),
        force: arguments.force.then_some(true),
        delete_branch: arguments.branch.then_some(true),
        forget: arguments.forget.then_some(true),
    };
    let removed = client
        .call::<Removal>("remove_workspace", request)
        .await
        .map_err(Failure::from);
    let removal = match removed {
        Err(failure) if failure.0.code == Code::UnsavedWork => {
            let state = client
                .call::<WorkspaceState>("get_workspace", SessionRef { id: id.clone() })
                .await;
            let named = state.map(|state| unsafe_work(&state)).unwrap_or_default();
            return Err(Failure(downbeat_wire::ApiError {
                message: format!("{}{named}", failure.0.message),
                ..failure.0
            })
            .hint(
                "--force removes it all the same, saving first what can be saved; `downbeat restore-work` brings it back",
            ));
        }
        other => other?,
    };
    if arguments.json {
        return print_json(&removal);
    }
    let mut text = format!("removed the worktree of {id}\n");
    if removal.backup.is_none() && !arguments.forget {
        text.push_str(&format!("`downbeat restore {id}` makes it again and resumes\n"));
    }
    if let Some(backup) = &removal.backup {
        let way = match arguments.forget {
            true => format!("`git show {}` in the project shows it", backup.name),
            false => format!("`downbeat restore-work {id}` brings it back"),
        };
        text.push_str(&format!("its work is saved as {}; {way}\n", backup.name));
    }
    if let Some(branch) = &removal.deleted_branch {
        text.push_str(&format!("deleted branch {}\n", plain(branch)));
    }
    print(&text)
}

fn unsafe_work(state: &WorkspaceState) -> String {
    let mut out = String::new();
    for file in state.dirty.iter().chain(&state.changed_copies) {
        out.push_str(&format!("\n  {}", plain(file)));
    }
    for place in &state.ignored {
        let fate = if place.saved { "" } else { ", NOT SAVED" };
        let (path, bytes) = (plain(&place.path), place.bytes);
        out.push_str(&format!("\n  {path} ({bytes} bytes, ignored by git{fate})"));
    }
    let unnamed = usize::try_from(state.dirty_count)
        .unwrap_or(0)
        .saturating_sub(state.dirty.len());
    if unnamed > 0 {
        out.push_str(&format!("\n  and {unnamed} more"));
    }
    if state.unpushed > 0 {
        out.push_str(&format!("\n  {} commits that are nowhere else", state.unpushed));
    }
    out
}
