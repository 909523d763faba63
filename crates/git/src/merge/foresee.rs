//! Whether two commits can be merged, without making anything: for people and agents, not for the merge queue.

use crate::merge::combine::{Combined, merge};
use crate::merge::conflict::Conflict;
use crate::merge::objects::Objects;
use crate::{Error, Repository};
use std::path::Path;

/// Returns what conflicts if the commit `head` is merged into the commit `target`; `None` if nothing does. Both are full ids.
/// Nothing is checked out, and no program of the repository runs.
///
/// # Errors
/// [`Error::UnknownRef`] if one of the commits is not here.
pub fn conflict_between(repo: &Path, target: &str, head: &str) -> Result<Option<Box<Conflict>>, Error> {
    let objects = Objects::of(&Repository::open(repo)?)?;
    let (target, head) = (objects.commit(target)?, objects.commit(head)?);
    let tree = target.tree().map_err(objects.failed())?;
    objects.use_attributes(&tree).map_err(objects.failed())?;
    match merge(&objects, &target, &head).map_err(objects.failed())? {
        Combined::Tree(_) => Ok(None),
        Combined::Conflicts(index) => {
            let conflict = Conflict::of(&objects, &index, (target.id(), head.id()), None);
            Ok(Some(Box::new(conflict.map_err(objects.failed())?)))
        }
    }
}
