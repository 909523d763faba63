//! Reads an epic as what a plan is made of: the sub-issues of an issue, at a forge of the project or in its tracker. Only the person
//! asks for it.

use crate::decide::epic::{self, most_text, parts_of};
use crate::decide::issue::Tracked;
use crate::effects::pulls::issue::{AtForge, at_forge, tracked, tracker};
use crate::effects::pulls::reach;
use crate::facts::trackers;
use crate::state::context::Engine;
use downbeat_forge::{IssueKey, LinkedIssue, RepositoryName, Tracker};
use downbeat_plans::{Issues, Part};
use downbeat_store::ProjectRow;
use downbeat_wire::ApiError;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use std::collections::HashSet;

/// The most issues that are read at a time.
const AT_ONCE: usize = 4;

/// Reads the parts of an epic.
///
/// # Errors
/// Fails if there is no such issue, if it has no parts, or if one of them cannot be read.
pub async fn read(engine: &Engine, project: &ProjectRow, text: &str) -> Result<Issues, ApiError> {
    let tracker = tracker(engine, project).await?;
    match tracked(engine, project, tracker.as_ref(), text).await? {
        Some(wanted) => in_tracker(engine, project, &wanted).await,
        None => at_a_forge(engine, project, text).await,
    }
}

async fn at_a_forge(engine: &Engine, project: &ProjectRow, text: &str) -> Result<Issues, ApiError> {
    let place = at_forge(engine, project, text).await?;
    let found = place.issue(engine, &place.repository, place.number).await?;
    let (own, name) = (&found.repository, format!("#{}", found.number));
    let links = place.client.links(own, found.number).await;
    let links = links.map_err(|error| reach::failed(engine, &place.host, error))?;
    if parts_of(&links).is_empty() {
        let hint = format!(
            "add them at the forge; or start one session for it: `downbeat spawn {}`",
            found.number
        );
        return Err(epic::no_parts(&format!("{name} of {own}"), &hint));
    }
    let is_own = |repository: &RepositoryName| {
        let mut remotes = place.remotes.iter();
        repository == own
            || remotes.any(|remote| remote.host == place.host && remote.repository == *repository)
    };
    let (mut wanted, mut others) = (Vec::new(), Vec::new());
    let mut known = HashSet::new();
    // What is linked in two ways is one issue.
    for child in parts_of(&links)
        .iter()
        .filter(|child| known.insert(child.key.as_str()))
    {
        match epic::place_of(&child.key) {
            Some((repository, number)) if is_own(&repository) => wanted.push((child, repository, number)),
            _ => others.push(child),
        }
    }
    let most = most_text(wanted.len());
    let parts = wanted.into_iter().map(|(child, repository, number)| {
        let (place, own) = (&place, own.clone());
        part(engine, place, (child, repository, number), (own, most))
    });
    let parts: Vec<_> = parts.collect();
    let parts: Vec<Part> = stream::iter(parts).buffered(AT_ONCE).try_collect().await?;
    let mut issues = epic::issues((&name, &found.title), &links, parts);
    issues
        .notes
        .extend(others.into_iter().filter(|one| one.open).map(|one| {
            format!(
                "{} is an issue of a repository that is no remote of {}: it is no task of this plan",
                one.key, project.name
            )
        }));
    if issues.parts.is_empty() {
        let hint = "name an epic whose sub-issues are in a repository of the project";
        return Err(epic::no_parts(&format!("{name} of {own}"), hint));
    }
    Ok(issues)
}

/// Reads a part of an epic at a forge.
async fn part(
    engine: &Engine,
    place: &AtForge,
    (child, repository, number): (&LinkedIssue, RepositoryName, u64),
    (own, most): (RepositoryName, usize),
) -> Result<Part, ApiError> {
    if !child.open {
        return Ok(epic::closed(child, Some(&own)));
    }
    let found = place.issue(engine, &repository, number).await?;
    let links = place.client.links(&found.repository, found.number).await;
    let links = links.map_err(|error| reach::failed(engine, &place.host, error))?;
    Ok(epic::part(&place.host, &own, (&found, &links), most))
}

async fn in_tracker(engine: &Engine, project: &ProjectRow, wanted: &Tracked) -> Result<Issues, ApiError> {
    reach::refuse_untrusted(project)?;
    let client = trackers::linear(engine).await.map_err(reach::error)?;
    let found = client.issue(wanted.key()).await.map_err(reach::error)?;
    wanted.refuse_another(&found)?;
    let name = found.key.to_string();
    if found.links.children.is_empty() {
        let hint = format!("add them in the tracker; or start one session for it: `downbeat spawn {name}`");
        return Err(epic::no_parts(&name, &hint));
    }
    let most = most_text(found.links.children.len());
    let parts = found
        .links
        .children
        .iter()
        .map(|child| tracked_part(&*client, child, most));
    let parts: Vec<_> = parts.collect();
    let parts: Vec<Part> = stream::iter(parts).buffered(AT_ONCE).try_collect().await?;
    Ok(epic::issues((&name, &found.title), &found.links, parts))
}

/// Reads a part of an epic in a tracker.
async fn tracked_part(client: &dyn Tracker, child: &LinkedIssue, most: usize) -> Result<Part, ApiError> {
    let key = IssueKey::parse(&child.key).filter(|_| child.open);
    let Some(key) = key else {
        return Ok(epic::closed(child, None));
    };
    let found = client.issue(&key).await.map_err(reach::error)?;
    Ok(epic::part_of_tracker(client.host(), &found, most))
}
