//! The parts of an epic as the tasks of a plan: what each is called, what it waits for, and what a person has to know. Pure.

use crate::decide::issue;
use crate::decide::issue_batch::working_on;
use crate::state::known::State;
use downbeat_forge::{Issue, IssueLinks, LinkedIssue, MOST_LINKS, RepositoryName, TrackedIssue};
use downbeat_model::ProjectId;
use downbeat_plans::{Blocker, Form, Issues, Part, Plan};
use downbeat_wire::ApiError;

/// The most bytes of the texts of all parts together: a plan is stored whole at each change.
const MOST_TEXT: usize = 512 * 1024;

/// Returns the longest text of one of so many parts, in bytes.
#[must_use]
pub fn most_text(parts: usize) -> usize {
    MOST_TEXT / parts.max(1)
}

/// The repository and the number of an issue that a forge names: `acme/shop#42`.
#[must_use]
pub fn place_of(key: &str) -> Option<(RepositoryName, u64)> {
    let (repository, number) = key.rsplit_once('#')?;
    Some((RepositoryName::parse(repository)?, number.parse().ok()?))
}

/// Returns what an issue is called as a task: by its number in the repository of the epic, by its whole name elsewhere.
fn id_of(key: &str, own: &RepositoryName) -> String {
    match place_of(key) {
        Some((repository, number)) if repository == *own => number.to_string(),
        _ => key.to_owned(),
    }
}

fn blockers(links: &IssueLinks, id: impl Fn(&str) -> String) -> Vec<Blocker> {
    let all = links.blocked_by.iter().map(|one| Blocker {
        id: id(&one.key),
        title: one.title.clone(),
        is_closed: !one.open,
    });
    all.collect()
}

/// Returns a part of an epic that is closed, which is not read further.
#[must_use]
pub fn closed(one: &LinkedIssue, own: Option<&RepositoryName>) -> Part {
    Part {
        id: own.map_or_else(|| one.key.clone(), |own| id_of(&one.key, own)),
        title: one.title.clone(),
        is_closed: true,
        ..Part::default()
    }
}

/// Returns a part of an epic at a forge.
#[must_use]
pub fn part(host: &str, own: &RepositoryName, (found, links): (&Issue, &IssueLinks), most: usize) -> Part {
    let id = |key: &str| id_of(key, own);
    Part {
        id: id(&format!("{}#{}", found.repository, found.number)),
        title: found.title.clone(),
        text: issue::text(found, most),
        is_closed: !found.open,
        blocked_by: blockers(links, id),
        issue: Some(issue::stored(host, found, links)),
        branch: None,
    }
}

/// Returns a part of an epic in a tracker.
#[must_use]
pub fn part_of_tracker(host: &str, found: &TrackedIssue, most: usize) -> Part {
    Part {
        id: found.key.to_string(),
        title: found.title.clone(),
        text: issue::text_of_tracker(found, most),
        is_closed: found.progress == downbeat_forge::Progress::Over,
        blocked_by: blockers(&found.links, str::to_owned),
        issue: Some(issue::stored_of_tracker(host, found)),
        branch: found.branch.clone(),
    }
}

/// Returns what an epic consists of, as its forge or tracker says, or may consist of.
#[must_use]
pub fn parts_of(links: &IssueLinks) -> &[LinkedIssue] {
    match links.children.as_slice() {
        [] => &links.perhaps_parts,
        children => children,
    }
}

/// Returns what a plan is made of. `name` is the epic's, and `links` what it is connected with.
#[must_use]
pub fn issues((name, title): (&str, &str), links: &IssueLinks, parts: Vec<Part>) -> Issues {
    let mut notes = Vec::new();
    let is_part = |key: &str| parts_of(links).iter().any(|one| one.key == key);
    for one in links
        .blocked_by
        .iter()
        .filter(|one| one.open && !is_part(&one.key))
    {
        notes.push(format!("{name} itself is blocked by {}, which is open", one.key));
    }
    if parts_of(links).len() >= MOST_LINKS {
        notes.push(format!(
            "only the first {MOST_LINKS} sub-issues of {name} were read"
        ));
    }
    for part in &parts {
        let own = part.issue.as_ref().map_or(0, |issue| {
            issue.children.iter().filter(|child| !child.is_closed).count()
        });
        if own > 0 {
            notes.push(format!(
                "{} has open sub-issues of its own ({own}), which are no tasks of this plan",
                part.id
            ));
        }
    }
    Issues {
        title: format!("{name} {title}"),
        form: Form::Epic,
        parts,
        notes,
    }
}

/// Returns the refusal of an issue that has no parts.
#[must_use]
pub fn no_parts(name: &str, hint: &str) -> ApiError {
    ApiError::invalid(format!("the plan: {name} has no sub-issues")).hint(hint)
}

/// Returns a note for each open task of a plan whose issue a session works on.
#[must_use]
pub fn at_work(state: &State, project: &ProjectId, plan: &Plan) -> Vec<String> {
    let open = plan.tasks.iter().filter(|task| !task.done);
    let notes = open.filter_map(|task| {
        let issue = task.issue.as_ref()?;
        let row = working_on(state, project, issue, &[])?;
        Some(format!(
            "{} works on {} already: its task fails as long as that session is neither merged nor archived",
            row.name,
            issue.name()
        ))
    });
    notes.collect()
}

#[cfg(test)]
#[path = "epic_tests.rs"]
mod tests;
