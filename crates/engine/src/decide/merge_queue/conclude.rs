//! What follows for a session whose entry left its merge queue: the result in its card, a message to its agent, a notice.

use crate::decide::merge::Why;
use crate::decide::{checks, merge, plans, tracking};
use crate::session::row;
use crate::state::draft::Draft;
use downbeat_model::queue::{Ended, Kept, Left};
use downbeat_model::session::{MergeOutcome, MergeResult};
use downbeat_model::{EventKind, SessionId, Verification, count, lines};
use downbeat_wire::ApiError;
use serde_json::Value;
use std::collections::BTreeSet;

/// What is known of a step beyond its result.
#[derive(Debug, Clone, Default)]
pub struct Account {
    /// The checks that failed.
    pub red: Option<Verification>,
    /// What the person has to know of a landing.
    pub landed: Option<String>,
    /// Whether more files are in conflict than are named.
    pub has_more_files: bool,
    /// The description of the conflict.
    pub conflict: Option<String>,
}

/// Concludes the merges of the sessions whose entries left. `told` has the tickets of those whose agents are told why.
pub(super) fn left(
    draft: &mut Draft,
    (before, after): (&Kept, &Kept),
    told: &BTreeSet<u64>,
    account: &Account,
) -> Result<(), ApiError> {
    let known: BTreeSet<u64> = before.queue.ended.iter().map(|ended| ended.ticket).collect();
    let ended = after.queue.ended.iter();
    for ended in ended.filter(|ended| !known.contains(&ended.ticket)) {
        let Some(id) = ended.subject.session() else {
            continue;
        };
        // A newer commit of the same session took its place.
        let is_replaced = after.queue.entry_of(&ended.subject).is_some();
        if is_replaced || !draft.state().sessions.contains_key(id) {
            continue;
        }
        one(draft, id, (after, ended), (told.contains(&ended.ticket), account))?;
    }
    Ok(())
}

fn one(
    draft: &mut Draft,
    id: &SessionId,
    (kept, ended): (&Kept, &Ended),
    (is_told, account): (bool, &Account),
) -> Result<(), ApiError> {
    let session = draft.session(id)?;
    let takes = is_told && checks::takes_text(session);
    let name = session.name.clone();
    if matches!(ended.left, Left::Withdrawn { .. }) {
        session.merging.run = None;
        draft.session_event(id, EventKind::SessionChanged, Value::Null);
        return Ok(());
    }
    let target = &kept.queue.place.target;
    let (outcome, mut detail) = outcome(&name, target, &ended.left, account);
    let returned = matches!(outcome, MergeOutcome::Conflict | MergeOutcome::ChecksFailed);
    if returned && !is_told {
        detail.push_str(&match kept.settings.most_returns(&ended.left) {
            0 => "; the project's reactions do not notify its agent".to_owned(),
            number => {
                let times = count(u64::from(number), "time", "times");
                format!("; the agent was notified {times} and did not fix it")
            }
        });
    }
    let result = MergeResult {
        outcome,
        target: target.clone(),
        head: ended.head.as_str().to_owned(),
        commit: match &ended.left {
            Left::Landed { commit } => Some(commit.as_str().to_owned()),
            _ => None,
        },
        detail,
        files: match &ended.left {
            Left::Conflict { files, .. } => files.clone(),
            _ => Vec::new(),
        },
        at: draft.now(),
    };
    if merge::record(draft, id, &result)?.is_none() {
        return Ok(());
    }
    if result.outcome == MergeOutcome::Contained {
        plans::landed(draft, id, &result.head, lines::first_line(&result.target))?;
    }
    if let (MergeOutcome::Landed, Some(commit)) = (result.outcome, &result.commit) {
        let place = format!("{} as {}", lines::first_line(&result.target), row::short(commit));
        plans::landed(draft, id, &result.head, &place)?;
        tracking::merged(draft, id, commit, place)?;
    }
    if takes {
        let checked = match &ended.left {
            Left::ChecksRed { tree, .. } => kept.red_of(tree.as_str()),
            _ => None,
        };
        let conflict = account.conflict.as_deref();
        merge::tell_agent(draft, id, &result, Why { checked, conflict });
    }
    merge::notify(draft, id, result)
}

/// Says how a merge ended, in one sentence, with the way out.
fn outcome(name: &str, target: &str, left: &Left, account: &Account) -> (MergeOutcome, String) {
    match left {
        Left::Landed { commit } => {
            let more = account.landed.as_deref().unwrap_or_default();
            let commit = row::short(commit.as_str());
            let detail = format!("{name} landed on {target} as {commit}{more}");
            (MergeOutcome::Landed, detail)
        }
        Left::AlreadyThere => (
            MergeOutcome::Contained,
            format!("{target} already contains the work of {name}"),
        ),
        Left::Conflict { files, .. } => {
            let what = match files.as_slice() {
                [one] => one.clone(),
                all if account.has_more_files => format!("more than {} files", all.len()),
                all => format!("{} files", all.len()),
            };
            let detail = format!("{name} is in conflict with {target}: both changed {what}");
            (MergeOutcome::Conflict, detail)
        }
        Left::ChecksRed { .. } => (
            MergeOutcome::ChecksFailed,
            format!("{name} fails its checks once it is merged into {target}"),
        ),
        Left::HeadMoved { .. } => (
            MergeOutcome::Refused,
            format!("{name} has a newer commit than the one that was to land; merge again"),
        ),
        Left::Rejected { why } | Left::Refused { why } => {
            (MergeOutcome::Refused, format!("{name} was not merged: {why}"))
        }
        Left::Unusable { why } => (MergeOutcome::Refused, why.clone()),
        Left::Withdrawn { .. } => (
            MergeOutcome::Refused,
            format!("the merge of {name} was cancelled"),
        ),
        Left::Full => (
            MergeOutcome::Refused,
            format!("the merge queue of {target} is full; merge {name} later"),
        ),
    }
}
