//! Merge trains: whether a merge request is on one and where, and why one was taken off
//! (<https://docs.gitlab.com/api/merge_trains/>). Who gets on is a write.

use crate::error::ForgeError;
use crate::text::line;
use crate::types::identity::NodeId;
use crate::types::pull::QueueEntry;
use serde::Deserialize;

use super::api::{Api, Path};
use super::conversation::Note;
use super::ids::{Kind, Numbered};

const WHAT: &str = "read a merge train";

/// How GitLab begins the note about a merge request that is to be merged by itself.
const ENTERED: &[&str] = &[
    "added this merge request to the merge train",
    "started a merge train",
    "enabled automatic add to merge train",
    "enabled an automatic merge",
];

/// How it begins the note about one that is not merged by itself after all.
const LEFT: &[&str] = &[
    "removed this merge request from the merge train",
    "aborted this merge request from the merge train",
    "aborted automatic add to merge train",
    "cancelled automatic add to merge train",
    "canceled automatic add to merge train",
    "aborted the automatic merge",
    "canceled the automatic merge",
];

/// The newest notes among which that one is looked for.
const NEWEST: &[(&str, &str)] = &[("per_page", "30"), ("order_by", "created_at"), ("sort", "desc")];

/// The cars of a train that are read: those at its head.
const CARS: &[(&str, &str)] = &[("scope", "active"), ("sort", "asc"), ("per_page", "100")];

/// A merge request on a train.
#[derive(Debug, Deserialize)]
struct Car {
    id: u64,
    status: String,
    target_branch: Option<String>,
}

impl Api {
    /// The state of a merge request on its train; nothing if it is on none, as in editions that have no trains.
    pub(super) async fn on_train(&self, pull: Numbered) -> Result<Option<QueueEntry>, ForgeError> {
        let iid = pull.iid.to_string();
        let path = Path::project(pull.project, &["merge_trains", Kind::Merge.part(), &iid]);
        match self.get::<Car>(WHAT, &path.with(&[]), &[]).await {
            Ok(car) => Ok(Some(QueueEntry {
                position: self.place_of(pull.project, &car).await?,
                state: line(&car.status),
            })),
            Err(ForgeError::Gone { .. } | ForgeError::Forbidden { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The place of a car on its train, from 1; nothing if it is far behind, or if the server does not list the cars.
    async fn place_of(&self, project: u64, car: &Car) -> Result<Option<u32>, ForgeError> {
        let Some(target) = &car.target_branch else {
            return Ok(None);
        };
        let path = Path::project(project, &["merge_trains", target]);
        match self.get::<Vec<Car>>(WHAT, &path.with(&[]), CARS).await {
            Ok(cars) => {
                let place = cars.iter().position(|other| other.id == car.id);
                Ok(place.and_then(|place| u32::try_from(place + 1).ok()))
            }
            Err(ForgeError::Gone { .. } | ForgeError::Forbidden { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Why a merge request was taken off its train, or is not merged by itself any more; nothing if that is not the last
    /// that GitLab notes about it.
    pub(super) async fn left_queue(&self, pull: &NodeId) -> Result<Option<String>, ForgeError> {
        let Some(on) = Numbered::parse(pull).filter(|one| one.kind == Kind::Merge) else {
            return Ok(None);
        };
        let path = Path::of(on);
        let notes: Vec<Note> = self.get(WHAT, &path.with(&["notes"]), NEWEST).await?;
        let of_system = notes.iter().filter(|note| note.system);
        let begins = |text: &str, all: &[&str]| all.iter().any(|start| text.starts_with(start));
        let last = of_system
            .map(|note| note.body.as_str())
            .find(|text| begins(text, ENTERED) || begins(text, LEFT));
        Ok(last.and_then(left))
    }
}

/// The reason in a note about a merge request that is not merged by itself after all.
fn left(text: &str) -> Option<String> {
    let rest = LEFT.iter().find_map(|start| text.strip_prefix(start))?;
    let (reason, _) = rest.split_once("[Learn more]").unwrap_or((rest, ""));
    let reason = reason.trim().strip_prefix("because ").unwrap_or_default();
    let reason = line(reason.trim().trim_end_matches('.'));
    Some(match reason.is_empty() {
        true => "somebody took it out".to_owned(),
        false => reason,
    })
}

#[cfg(test)]
mod tests {
    use super::left;

    #[test]
    fn the_reason_is_what_follows_because() {
        for (text, expected) in [
            (
                "removed this merge request from the merge train because the pipeline did not succeed. [Learn \
                 more](https://gitlab.com/help).",
                Some("the pipeline did not succeed"),
            ),
            (
                "removed this merge request from the merge train",
                Some("somebody took it out"),
            ),
            (
                "aborted the automatic merge because source branch was updated",
                Some("source branch was updated"),
            ),
            ("added this merge request to the merge train at position 2", None),
            ("I removed this merge request from the merge train", None),
        ] {
            assert_eq!(left(text).as_deref(), expected, "{text}");
        }
    }
}
