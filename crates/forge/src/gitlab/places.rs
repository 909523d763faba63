//! Projects by their id: where the branch of a fork is, and whether a project is archived. Kept for a while, because lists name
//! only the id.

use crate::error::ForgeError;
use crate::types::identity::{NodeId, RepositoryName, RepositoryRef};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use std::sync::PoisonError;

use super::api::{Api, Path, Place};

/// How long a project keeps its name here.
const KEPT: SignedDuration = SignedDuration::from_hours(1);

/// How long a project counts as open after it was read.
const OPEN: SignedDuration = SignedDuration::from_mins(5);

/// How long it counts as archived: shorter, since whoever unarchives it wants to go on.
const ARCHIVED: SignedDuration = SignedDuration::from_secs(20);

/// How many are kept.
const MOST: usize = 1_000;

#[derive(Deserialize)]
struct Named {
    id: u64,
    path_with_namespace: String,
    #[serde(default)]
    archived: bool,
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
        let known = self.known(id, |_| KEPT).await?;
        Ok(known.and_then(|place| place.repository))
    }

    /// Whether a project is archived, so that it takes no change.
    pub(super) async fn is_archived(&self, id: u64) -> Result<bool, ForgeError> {
        let kept = |place: &Place| if place.archived { ARCHIVED } else { OPEN };
        Ok(self.known(id, kept).await?.is_some_and(|place| place.archived))
    }

    /// Notes what was read of a project anyway.
    pub(super) fn note(&self, id: u64, path: &str, archived: bool) {
        let repository = place(id, path);
        self.keep(id, Some(Place { repository, archived }));
    }

    fn keep(&self, id: u64, place: Option<Place>) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= MOST {
            places.clear();
        }
        places.insert(id, (Timestamp::now(), place));
    }

    async fn known(
        &self,
        id: u64,
        kept: impl Fn(&Place) -> SignedDuration,
    ) -> Result<Option<Place>, ForgeError> {
        let now = Timestamp::now();
        let known = {
            let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
            places.get(&id).cloned()
        };
        if let Some((read, place)) = known
            && read <= now
            && now.duration_since(read) < place.as_ref().map_or(KEPT, kept)
        {
            return Ok(place);
        }
        let path = Path::project(id, &[]);
        let found = self.get::<Named>("read a repository", &path.with(&[]), &[]).await;
        let found = match found {
            Ok(named) => Some(Place {
                repository: place(named.id, &named.path_with_namespace),
                archived: named.archived,
            }),
            Err(ForgeError::Gone { .. } | ForgeError::Forbidden { .. }) => None,
            Err(error) => return Err(error),
        };
        self.keep(id, found.clone());
        Ok(found)
    }
}
