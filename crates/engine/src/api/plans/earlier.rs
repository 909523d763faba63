//! What other plans of the same file did or do. Tasks are ticked once they are done on a branch, and a plan that begins where the
//! default branch is does not have that work before somebody merged it. Two plans of one file that both run do its tasks twice.

use crate::decide::{plan_access, plans};
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::known::State;
use downbeat_plans::{PlanRecord, PlanState, ShareState, Source};
use downbeat_store::ProjectRow;
use downbeat_wire::Caller;
use std::path::PathBuf;
use std::sync::Arc;

/// The most commits of earlier plans that are looked at.
const MOST: usize = 100;

/// The most shares of earlier plans that get a note each.
const MOST_NOTES: usize = 10;

/// The most open plans that are named.
const MOST_NAMED: usize = 3;

/// Returns a note for the open plans of a file, and one for each share of an ended one whose work is not on the default branch.
pub(super) async fn notes(
    engine: &Engine,
    caller: &Caller,
    (project, source): (&ProjectRow, &Source),
) -> Vec<String> {
    let state = engine.ledger.state();
    let same = of_file(&state, project, source);
    let (over, open): (Vec<_>, Vec<_>) = same.into_iter().partition(|plan| plan.state.is_over());
    let mut notes: Vec<String> = still_open(&state, caller, &open).into_iter().collect();
    notes.extend(not_merged(project, &over).await);
    notes
}

/// Returns the plans of a file, oldest first.
fn of_file<'a>(state: &'a State, project: &ProjectRow, source: &Source) -> Vec<&'a Arc<PlanRecord>> {
    let mut all = plans::of_file(state, &project.id, source);
    all.sort_by_key(|plan| plan.created_at);
    all
}

/// Says which plans of the file are open, if any. Those of others have no names for an agent.
fn still_open(state: &State, caller: &Caller, open: &[&Arc<PlanRecord>]) -> Option<String> {
    let named = open.iter().rev().take(MOST_NAMED).map(|plan| {
        let is = match plan.state {
            PlanState::Proposed => "proposed",
            PlanState::Paused => "paused",
            _ => "running",
        };
        match plan_access::is_visible(state, caller, plan) {
            true => format!("{} ({is})", plan.id),
            false => format!("a plan of somebody else ({is})"),
        }
    });
    let named: Vec<String> = named.collect();
    let more = match open.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (have, them) = if open.len() == 1 {
        ("has", "it")
    } else {
        ("have", "them")
    };
    let may_cancel = open
        .iter()
        .all(|plan| plan_access::is_visible(state, caller, plan));
    let advice = match may_cancel {
        true => format!("Cancel {them} with `downbeat plan cancel`"),
        false => format!("Ask the person to cancel {them}"),
    };
    (!open.is_empty()).then(|| {
        format!(
            "{}{more} also {have} tasks of this file. {advice}, or tasks are done twice",
            named.join(", ")
        )
    })
}

/// Returns a note for each share of ended plans whose work is not on the default branch. A repository that cannot be read now is no
/// reason to refuse a plan: then there is none.
async fn not_merged(project: &ProjectRow, over: &[&Arc<PlanRecord>]) -> Vec<String> {
    let done = over
        .iter()
        .flat_map(|plan| plan.shares.iter().filter(|one| one.state == ShareState::Done));
    let done = done.filter_map(|one| Some((one.share.name.clone(), one.tip.clone()?)));
    let done: Vec<(String, String)> = done.take(MOST).collect();
    if done.is_empty() {
        return Vec::new();
    }
    let (repo, branch) = (PathBuf::from(&project.path), project.default_branch.clone());
    let look = move || -> Result<Vec<String>, downbeat_git::Error> {
        let head = downbeat_git::Repository::open(&repo)?.base(&branch)?.commit;
        let from = [head];
        let (mut notes, mut more) = (Vec::new(), 0_usize);
        for (name, tip) in done {
            // A commit that is gone was merged as another one, or nobody can use it any more.
            if downbeat_git::is_reached(&repo, &tip, &from).unwrap_or(true) {
                continue;
            }
            more += usize::from(notes.len() >= MOST_NOTES);
            if notes.len() < MOST_NOTES {
                notes.push(format!(
                    "{name} was done by an earlier plan of this file, but its commit {tip:.10} is not on {branch}: merge it, or the \
                     workers begin without it"
                ));
            }
        }
        if more > 0 {
            notes.push(format!(
                "{more} more of earlier plans of this file were done, and are not on {branch}"
            ));
        }
        Ok(notes)
    };
    let found = blocking::in_time(&project.path, look).await;
    found.ok().and_then(Result::ok).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{of_file, still_open};
    use crate::state::example::{change_plan, draft, id, planned, project};
    use downbeat_plans::{PlanState, Source};
    use downbeat_wire::Caller;

    fn source(path: &str) -> Source {
        Source {
            path: path.into(),
            tag: None,
        }
    }

    #[test]
    fn open_plans_of_the_same_file_are_named() {
        let mut draft = draft(0, []);
        planned(&mut draft, "a, b", &[]);
        change_plan(&mut draft, |plan| plan.source = Some(source("tasks.md")));
        let open = of_file(draft.state(), &project(), &source("tasks.md"));
        let said = still_open(draft.state(), &Caller::Owner, &open).unwrap();
        let own = &open[0].id;
        assert_eq!(
            said,
            format!(
                "{own} (proposed) also has tasks of this file. Cancel it with `downbeat plan cancel`, or tasks are done twice"
            )
        );
        assert_eq!(open[0].state, PlanState::Proposed);
        let twice: Vec<_> = open.iter().cycle().take(5).copied().collect();
        let said = still_open(draft.state(), &Caller::Owner, &twice).unwrap();
        assert!(
            said.contains(" and 2 more also have tasks of this file. Cancel them"),
            "{said}"
        );
        assert_eq!(of_file(draft.state(), &project(), &source("other.md")).len(), 0);
        assert_eq!(still_open(draft.state(), &Caller::Owner, &[]), None);
        let agent = Caller::Session(id(1));
        let said = still_open(draft.state(), &agent, &open).unwrap();
        assert!(
            said.starts_with("a plan of somebody else (proposed) also"),
            "{said}"
        );
    }
}
