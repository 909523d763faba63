//! `downbeat remove`: removes sessions' worktrees. Work that is not safe is named and needs `--force`; it is
//! saved first in any case. Several sessions are treated alike: those that are kept are named with the
//! reason, the others are removed.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json, told_on_terminal};
use crate::paint::plain;
use clap::{ArgGroup, Args};
use downbeat_model::{SessionId, Workspace, count};
use downbeat_wire::Client as _;
use downbeat_wire::request::{OffTheList, SessionRef};
use downbeat_wire::session::{Session, SessionFilter, SessionSummary};
use downbeat_wire::workspace::{Removal, RemoveWorkspace, WorkspaceState};
use downbeat_wire::{ApiError, Code};
use serde::Serialize;

/// The note about work that was saved before its session left the list.
const SAVED: &str = "its saved work stays in the project below refs/downbeat/backup, and `downbeat restore-work` \
                     can no longer restore it\n";

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("which").required(true).args(["sessions", "workers", "ended"])))]
pub(in crate::command) struct Arguments {
    /// The sessions
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
    /// All ended workers below this session, at every level
    #[arg(long, value_name = "SESSION")]
    workers: Option<String>,
    /// All ended sessions; they are also removed from the list
    #[arg(long)]
    ended: bool,
    /// With --ended: only those of this project
    #[arg(long, short, value_name = "PROJECT", requires = "ended")]
    project: Option<String>,
    /// Remove it even if work is uncommitted or unpushed; the work is saved first
    #[arg(long, short)]
    force: bool,
    /// Also delete its branch, if it is merged or saved
    #[arg(long)]
    branch: bool,
    /// Also remove the session from the list
    #[arg(long)]
    forget: bool,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    match arguments.sessions.as_slice() {
        [one] => single(&client, &arguments, one.clone()).await,
        _ => many(&client, &arguments).await,
    }
}

async fn remove(client: &Client, arguments: &Arguments, id: &str) -> Result<Removal, Failure> {
    let forget = arguments.forget || arguments.ended;
    take_away(client, arguments, id, forget).await
}

/// Removes a worktree. Its session stays on the list only if work was saved that can be restored from there.
async fn remove_and_list(client: &Client, arguments: &Arguments, id: &str) -> Result<Removal, Failure> {
    let removal = take_away(client, arguments, id, false).await?;
    if removal.backup.is_none() {
        take_away(client, arguments, id, true).await?;
    }
    Ok(removal)
}

async fn take_away(
    client: &Client,
    arguments: &Arguments,
    id: &str,
    forget: bool,
) -> Result<Removal, Failure> {
    let request = RemoveWorkspace {
        id: id.to_owned(),
        force: arguments.force.then_some(true),
        delete_branch: arguments.branch.then_some(true),
        forget: forget.then_some(true),
    };
    let removed = client.remove_workspace(request).await;
    removed.map_err(Failure::from)
}

/// The outcome for several sessions.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcomes {
    removed: Vec<Removal>,
    kept: Vec<Kept>,
}

/// A session that was not removed.
#[derive(Debug, Serialize)]
struct Kept {
    name: String,
    code: Code,
    why: String,
}

async fn many(client: &Client, arguments: &Arguments) -> Outcome {
    let mut all = Outcomes::default();
    let listed = arguments.forget || arguments.ended;
    let keeps_saved = arguments.ended && !arguments.forget && !arguments.force;
    let chosen = chosen(client, arguments).await?;
    let number = chosen.len();
    for (at, Chosen { name, id, what }) in chosen.into_iter().enumerate() {
        told_on_terminal(&format!("removing {} of {number}: {}", at + 1, plain(&name)));
        let gone = match what {
            What::InPlace => forget(client, &id, arguments.force).await,
            What::Saved if !arguments.force => Err(still_saved()),
            What::Worktree if keeps_saved => remove_and_list(client, arguments, &id).await,
            What::Saved | What::Gone | What::Worktree => remove(client, arguments, &id).await,
        };
        match gone {
            Ok(removal) => {
                let text = match what {
                    What::Worktree => {
                        let is_off = listed && !(keeps_saved && removal.backup.is_some());
                        describe(&plain(&name), &removal, is_off)
                    }
                    _ => off_the_list(&plain(&name), &removal),
                };
                // At once, so that whoever stops the command knows what went.
                if !arguments.json {
                    print(&text)?;
                }
                all.removed.push(removal);
            }
            Err(Failure(ApiError { code, message, .. })) => all.kept.push(Kept {
                name,
                code,
                why: message,
            }),
        }
    }
    let mut text = String::new();
    for kept in &all.kept {
        text.push_str(&format!("kept {}: {}\n", plain(&kept.name), plain(&kept.why)));
    }
    if all.removed.is_empty() && all.kept.is_empty() {
        text.push_str("nothing to remove\n");
    }
    let done = match arguments.json {
        true => print_json(&all)?,
        false => print(&text)?,
    };
    match summary(&all.kept, arguments.sessions.is_empty()) {
        None => Ok(done),
        Some(failure) => Err(failure),
    }
}

/// Returns the failure of the whole command, if something was kept. For sessions chosen by a filter, anything
/// that was kept needs the person's confirmation; for sessions that were named, other errors are reported first.
fn summary(kept: &[Kept], is_chosen: bool) -> Option<Failure> {
    let count = match kept.len() {
        0 => return None,
        1 => "1 session was kept".to_owned(),
        many => format!("{many} sessions were kept"),
    };
    let other = kept.iter().find(|kept| kept.code != Code::UnsavedWork);
    let code = other
        .filter(|_| !is_chosen)
        .map_or(Code::UnsavedWork, |kept| kept.code);
    let failure = Failure(ApiError::new(code, count));
    Some(match other {
        None => failure.hint("--force removes them anyway; what can be saved is saved first"),
        Some(_) => failure,
    })
}

/// A session to remove.
struct Chosen {
    name: String,
    id: String,
    what: What,
}

/// What there is to remove.
#[derive(Debug, Clone, Copy)]
enum What {
    /// A worktree, as far as known.
    Worktree,
    /// Nothing: the session ran in the project's own checkout.
    InPlace,
    /// Nothing: the worktree was removed before, or was never made.
    Gone,
    /// Nothing, but work was saved that only a listed session can restore.
    Saved,
}

impl What {
    fn of(session: &SessionSummary) -> Self {
        match (session.workspace, &session.workspace_path) {
            (Workspace::InPlace, _) => Self::InPlace,
            (Workspace::Worktree, Some(_)) => Self::Worktree,
            (Workspace::Worktree, None) if session.has_backup => Self::Saved,
            (Workspace::Worktree, None) => Self::Gone,
        }
    }
}

/// Returns why a session without a worktree stays on the list.
fn still_saved() -> Failure {
    Failure(ApiError::new(
        Code::UnsavedWork,
        "its saved work can still be restored",
    ))
}

async fn chosen(client: &Client, arguments: &Arguments) -> Result<Vec<Chosen>, Failure> {
    if !arguments.sessions.is_empty() {
        let named = arguments.sessions.iter();
        let chosen = |name: &String| Chosen {
            name: name.clone(),
            id: name.clone(),
            what: What::Worktree,
        };
        return Ok(named.map(chosen).collect());
    }
    let filter = SessionFilter {
        project: arguments.project.clone(),
        parent: None,
        archived: None,
        ids: None,
    };
    let all = client.list_sessions(filter).await?;
    let below = match &arguments.workers {
        None => all,
        Some(name) => {
            let root = SessionRef { id: name.clone() };
            let root = client.get_session(root).await?;
            below(all, &root)
        }
    };
    let listed = arguments.ended || arguments.forget;
    let goes = |session: &SessionSummary| {
        session.status.is_ended() && (matches!(What::of(session), What::Worktree) || listed)
    };
    let going = below.into_iter().filter(goes);
    Ok(going
        .map(|session| Chosen {
            what: What::of(&session),
            id: session.id.to_string(),
            name: session.name,
        })
        .collect())
}

/// Takes a session off the list that ran in the project's own checkout: there is nothing to remove.
async fn forget(client: &Client, id: &str, force: bool) -> Result<Removal, Failure> {
    let session = client.get_session(SessionRef { id: id.to_owned() }).await?;
    let request = OffTheList {
        id: session.id.to_string(),
        force: force.then_some(true),
    };
    client.forget_session(request).await?;
    Ok(Removal {
        id: session.summary.id,
        backup: None,
        deleted_branch: None,
        shells: 0,
        left: None,
    })
}

/// Returns all sessions below `root`; in a list, parents come before their workers.
fn below(all: Vec<SessionSummary>, root: &SessionSummary) -> Vec<SessionSummary> {
    let mut found: Vec<SessionSummary> = Vec::new();
    for session in all {
        let under = |parent: &SessionId| *parent == root.id || found.iter().any(|other| other.id == *parent);
        if session.parent.as_ref().is_some_and(under) {
            found.push(session);
        }
    }
    found
}

/// Takes a session off the list that ran in the project's own checkout, which is the only way to remove it.
/// Without `--forget` or `--force` it refuses.
async fn single_in_place(client: &Client, arguments: &Arguments, session: &Session) -> Outcome {
    let name = plain(&session.name);
    if !arguments.forget && !arguments.force {
        let what = format!("{name} ran in the project's own checkout, which is never removed");
        return Err(Failure(ApiError::new(Code::Conflict, what)).hint(format!(
            "`downbeat remove --forget {name}` removes it from the list; its files stay"
        )));
    }
    let removal = forget(client, session.id.as_str(), arguments.force).await?;
    match arguments.json {
        true => print_json(&removal),
        false => print(&format!("removed {name} from the list; its files stay\n")),
    }
}

async fn single(client: &Client, arguments: &Arguments, id: String) -> Outcome {
    let before = match arguments.forget {
        true => {
            let asked = SessionRef { id: id.clone() };
            client.get_session(asked).await.ok()
        }
        false => None,
    };
    let removal = match remove(client, arguments, &id).await {
        Err(failure) if failure.0.code == Code::Conflict => {
            let asked = SessionRef { id: id.clone() };
            return match client.get_session(asked).await {
                Ok(session) if matches!(What::of(&session), What::InPlace) => {
                    single_in_place(client, arguments, &session).await
                }
                _ => Err(failure),
            };
        }
        Err(failure) if failure.0.code == Code::UnsavedWork => {
            let state = client.get_workspace(SessionRef { id: id.clone() }).await;
            let is_unreadable = state.as_ref().is_ok_and(|state| state.unreadable.is_some());
            let named = state.map(|state| unsafe_work(&state)).unwrap_or_default();
            return Err(Failure(downbeat_wire::ApiError {
                message: format!("{}{named}", failure.0.message),
                ..failure.0
            })
            .hint(match is_unreadable {
                true => "--force moves its folder aside unchanged; nothing in it is deleted",
                false => "--force removes it anyway; what can be saved is saved first, and `downbeat restore-work` restores it",
            }));
        }
        other => other?,
    };
    if arguments.json {
        return print_json(&removal);
    }
    match before.as_ref().map(|session| What::of(session)) {
        Some(What::Saved) => print(&format!("{}{SAVED}", off_the_list(&id, &removal))),
        Some(What::Gone) => print(&off_the_list(&id, &removal)),
        _ => print(&describe(&id, &removal, arguments.forget)),
    }
}

/// Describes what a removal did.
fn describe(id: &str, removal: &Removal, forget: bool) -> String {
    let mut text = format!("removed the worktree of {id}\n");
    text.push_str(&match removal.shells {
        0 => String::new(),
        1 => "ended its side shell\n".to_owned(),
        n => format!("ended its {n} side shells\n"),
    });
    if removal.backup.is_none() && !forget {
        text.push_str(&format!("`downbeat resume {id}` recreates it and resumes\n"));
    }
    if let Some(backup) = &removal.backup {
        let way = match forget {
            true => format!("`git show {}` in the project shows it", backup.name),
            false => format!("`downbeat restore-work {id}` restores it"),
        };
        text.push_str(&format!("its work is saved as {}; {way}\n", backup.name));
    }
    text.extend(removal.left.iter().map(|left| format!("{}\n", plain(left))));
    text + &describe_branch(removal)
}

/// Describes the removal of a session that had no worktree any more.
fn off_the_list(id: &str, removal: &Removal) -> String {
    format!("removed {id} from the list\n{}", describe_branch(removal))
}

fn describe_branch(removal: &Removal) -> String {
    let branch = removal.deleted_branch.as_deref();
    branch.map_or_else(String::new, |branch| {
        format!("deleted branch {}\n", plain(branch))
    })
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
        let commits = count(state.unpushed, "unpushed commit", "unpushed commits");
        out.push_str(&format!("\n  {commits}"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Code, Kept, summary};

    #[test]
    fn the_exit_code_shows_that_something_was_kept() {
        let kept = |codes: &[Code]| -> Vec<Kept> {
            let kept = |code: &Code| Kept {
                name: "s".into(),
                code: *code,
                why: "why".into(),
            };
            codes.iter().map(kept).collect()
        };
        let code = |codes: &[Code], is_chosen| summary(&kept(codes), is_chosen).map(|f| f.exit_code());
        for is_chosen in [true, false] {
            assert_eq!(code(&[], is_chosen), None);
            assert_eq!(code(&[Code::UnsavedWork], is_chosen), Some(4));
        }
        for other in [Code::Conflict, Code::Failed, Code::NotFound] {
            assert_eq!(code(&[Code::UnsavedWork, other], true), Some(4), "{other:?}");
        }
        assert_eq!(code(&[Code::UnsavedWork, Code::NotFound], false), Some(3));
        assert_eq!(code(&[Code::Conflict], false), Some(1));
    }
}
