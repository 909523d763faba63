//! Looks which worktrees can go, and puts their sessions away: those of sessions that have ended, that were merged, or whose issue
//! is closed. What holds unsaved work, a working agent or somebody else's files stays, with the reason.

use crate::decide::cleanup::{self, Around, IssueState};
use crate::decide::{mailbox, plan_access};
use crate::effects::pulls::reach;
use crate::effects::session::put_away::{self, PutAway};
use crate::effects::worktree::{build_output, in_use, record};
use crate::facts::forges::client;
use crate::facts::trackers;
use crate::state::context::Engine;
use crate::state::find;
use crate::state::known::State;
use downbeat_forge::{ForgeError, IssueKey, Progress, RepositoryName};
use downbeat_model::session::SessionIssue;
use downbeat_model::{SessionId, Workspace};
use downbeat_store::SessionRow;
use downbeat_wire::cleanup::{CleanUp, CleanupReason, CleanupTree};
use downbeat_wire::{ApiError, Caller};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The recorded reason for the end of an agent.
const WHY: &str = "by a cleanup";

/// Looks at all worktrees of a project, or of all, and cleans up unless it is only a look.
///
/// # Errors
/// Fails if the project or a named session is not there. What cannot be removed says so in its row.
pub async fn clean_up(engine: &Arc<Engine>, request: &CleanUp) -> Result<Vec<CleanupTree>, ApiError> {
    let state = engine.ledger.state();
    let project = match &request.project {
        Some(name) => Some(find::project(&state, name)?.id.clone()),
        None => None,
    };
    let named = match &request.sessions {
        Some(names) => Some(ids(&state, names)?),
        None => None,
    };
    let is_meant = |row: &&Arc<SessionRow>| {
        let is_in = project.as_ref().is_none_or(|id| row.project_id == *id);
        let is_named = named.as_ref().is_none_or(|ids| ids.contains(&row.id));
        is_in
            && is_named
            && row.archived_at.is_none()
            && row.workspace == Workspace::Worktree
            && row.workspace_path.is_some()
    };
    let mut rows: Vec<Arc<SessionRow>> = state.sessions.values().filter(is_meant).cloned().collect();
    // Those below others come first: a session is archived together with all below it.
    rows.sort_by_key(|row| (find::below(&state, &row.id).len(), row.created_at));
    let mut issues = BTreeMap::new();
    let mut trees: Vec<CleanupTree> = Vec::new();
    for row in rows {
        let mut tree = match request.build_output {
            Some(true) => of_build_output(engine, &row).await,
            _ => of_worktree(engine, &row, &mut issues).await,
        };
        let below = find::below(&state, &row.id);
        let stays = |id: &SessionId| trees.iter().any(|tree| tree.id == *id && tree.kept.is_some());
        if request.build_output != Some(true) && below.iter().any(|below| stays(&below.id)) {
            tree.kept
                .get_or_insert_with(|| "the worktree of a session below it stays".to_owned());
        }
        if tree.kept.is_none() && request.dry_run != Some(true) {
            let done = match request.build_output {
                Some(true) => build_output::clear(engine, &row, false).await.map(drop),
                _ => remove(engine, &row.id).await,
            };
            tree.kept = done.err().map(|error| error.message);
        }
        trees.push(tree);
    }
    Ok(trees)
}

/// Finds sessions by id or name.
fn ids(state: &State, names: &[String]) -> Result<BTreeSet<SessionId>, ApiError> {
    let id = |name: &String| Ok(find::session(state, &Caller::Owner, name)?.id.clone());
    names.iter().map(id).collect()
}

/// Measures the build output of a session.
async fn of_build_output(engine: &Engine, row: &SessionRow) -> CleanupTree {
    let (mut tree, _) = measured(engine, row).await;
    tree.because = Some(CleanupReason::BuildOutput);
    if !row.status.is_ended() {
        tree.kept = Some(format!("it is {}", row.status.as_str()));
    } else if tree.build_bytes == 0 {
        tree.kept = tree.kept.or_else(|| Some("it has no build output".to_owned()));
    } else if tree.kept.is_none() {
        tree.kept = used_by_others(engine, row).await;
    }
    tree
}

/// Looks whether a session can be put away.
async fn of_worktree(
    engine: &Engine,
    row: &SessionRow,
    issues: &mut BTreeMap<String, IssueState>,
) -> CleanupTree {
    let (mut tree, held) = measured(engine, row).await;
    tree.kept = held.or(tree.kept);
    if tree.kept.is_none() {
        tree.kept = used_by_others(engine, row).await;
    }
    let issue = match row.issue.as_ref().filter(|_| cleanup::depends_on_issue(row)) {
        Some(issue) => {
            let name = format!("{} {} {}", issue.host, issue.repository, issue.name());
            if !issues.contains_key(&name) {
                let read = issue_state(engine, row, issue).await;
                issues.insert(name.clone(), read);
            }
            issues.get(&name).cloned().unwrap_or(IssueState::Unasked)
        }
        None => IssueState::Unasked,
    };
    let state = engine.ledger.state();
    let around = Around {
        issue: &issue,
        has_messages: mailbox::open(&state, &row.id).next().is_some(),
        has_live_workers: find::below(&state, &row.id)
            .iter()
            .any(|below| !below.status.is_ended()),
        has_open_plan: plan_access::has_open_plan(&state, &row.id),
    };
    match cleanup::reason(row, around) {
        Ok(reason) => tree.because = Some(reason),
        Err(why) => tree.kept = Some(why),
    }
    tree
}

/// Says what runs in a worktree that does not belong to its agent, or that nobody can know it.
async fn used_by_others(engine: &Engine, row: &SessionRow) -> Option<String> {
    let in_use = in_use::in_use(engine, row).await;
    in_use.unwrap_or_else(|error| Some(error.message))
}

/// Measures a worktree. Returns also what keeps it from being removed.
async fn measured(engine: &Engine, row: &SessionRow) -> (CleanupTree, Option<String>) {
    let mut tree = CleanupTree {
        id: row.id.clone(),
        name: row.name.clone(),
        bytes: 0,
        build_bytes: 0,
        because: None,
        kept: None,
    };
    let mut held_by = None;
    match record::state(engine, row).await {
        Ok(held) => {
            tree.bytes = held.bytes;
            let words = record::held_words(&held);
            // An agent that has nothing to do is ended first.
            let running = record::blocked(row);
            let blocked = held.blocked.clone().filter(|why| Some(why) != running.as_ref());
            held_by = blocked.or_else(|| (!words.is_empty()).then(|| format!("it has {words}")));
        }
        Err(error) => tree.kept = Some(error.message),
    }
    match build_output::clear(engine, row, true).await {
        Ok(output) => tree.build_bytes = output.bytes,
        Err(error) => tree.kept = tree.kept.or(Some(error.message)),
    }
    (tree, held_by)
}

/// Asks how far an issue is.
async fn issue_state(engine: &Engine, row: &SessionRow, issue: &SessionIssue) -> IssueState {
    let trusted = engine
        .project(&row.project_id)
        .and_then(|project| reach::refuse_untrusted(&project));
    if let Err(error) = trusted {
        return IssueState::Unknown(error.message);
    }
    match is_closed(engine, issue).await {
        Ok(true) => IssueState::Closed,
        Ok(false) => IssueState::Open,
        Err(error) => IssueState::Unknown(error.to_string()),
    }
}

async fn is_closed(engine: &Engine, issue: &SessionIssue) -> Result<bool, ForgeError> {
    if let Some(key) = issue.key.as_deref().and_then(IssueKey::parse) {
        let tracked = trackers::linear(engine).await?.issue(&key).await?;
        return Ok(tracked.progress == Progress::Over);
    }
    let Some(repository) = RepositoryName::parse(&issue.repository) else {
        return Ok(false);
    };
    let connected = client::connected(engine, &issue.host).await?;
    Ok(!connected.client.issue(&repository, issue.number).await?.open)
}

/// Puts a session away, unless it got work since it was looked at.
async fn remove(engine: &Arc<Engine>, id: &SessionId) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let has_messages = mailbox::open(&engine.ledger.state(), id).next().is_some();
    let again = || {
        let what = format!("{} has work again", row.name);
        ApiError::new(downbeat_wire::Code::Conflict, what)
    };
    if has_messages && !row.status.is_ended() {
        return Err(again());
    }
    match put_away::away(engine, id, WHY).await? {
        PutAway::Done => Ok(()),
        PutAway::NotYet | PutAway::GoesOn => Err(again()),
    }
}
