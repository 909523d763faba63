//! Projects by their id: where the branch of a fork is. Kept for an hour, because lists name only the id.

use crate::error::ForgeError;
use crate::types::identity::{NodeId, RepositoryName, RepositoryRef};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use std::sync::PoisonError;

use super::api::{Api, Path};

/// How long a project keeps its name here.
const KEPT: SignedDuration = SignedDuration::from_hours(1);

/// How many are kept.
const MOST: usize = 1_000;

#[derive(Deserialize)]
struct Named {
    id: u64,
    path_with_namespace: String,
}

/// A repository, by the id and the path of its project.
pub(super) fn place(id: u64, path: &str) -> Option<RepositoryRef> {
    Some(RepositoryRef {
        id: NodeId(id.to_string()),
        name: RepositoryName::parse(path)?,
    })
}

impl Api {
    /// The repository of a project; none if it was deleted, or the token may not see it.
    pub(super) async fn place(&self, id: u64) -> Result<Option<RepositoryRef>, ForgeError> {
        let now = Timestamp::now();
        let known = {
            let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
            places.get(&id).cloned()
        };
        if let Some((read, place)) = known
            && read <= now
            && now.duration_since(read) < KEPT
        {
            return Ok(place);
        }
        let path = Path::project(id, &[]);
        let found = self.get::<Named>("read a repository", &path.with(&[]), &[]).await;
        let found = match found {
            Ok(named) => place(named.id, &named.path_with_namespace),
            Err(ForgeError::Gone { .. } | ForgeError::Forbidden { .. }) => None,
            Err(error) => return Err(error),
        };
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= MOST {
            places.clear();
        }
        places.insert(id, (now, found.clone()));
        Ok(found)
    }
}
