//! Pieces that several answers share, as GitHub writes them.

use crate::types::identity::{NodeId, RepositoryName, RepositoryRef};
use crate::types::review::ReviewDecision;
use serde::Deserialize;

/// The list in a connection, whose entries may be missing.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", bound = "T: Deserialize<'de>")]
pub(super) struct Connection<T> {
    pub(super) nodes: Option<Vec<Option<T>>>,
    pub(super) page_info: Option<PageInfo>,
}

impl<T> Connection<T> {
    /// The entries that are there.
    pub(super) fn items(self) -> impl Iterator<Item = T> {
        self.nodes.into_iter().flatten().flatten()
    }

    /// Where the next page begins, if there is one.
    pub(super) fn next(&self) -> Option<String> {
        let page = self.page_info.as_ref()?;
        page.has_next_page.then(|| page.end_cursor.clone()).flatten()
    }

    /// Whether its first entry is here.
    pub(super) fn has_beginning(&self) -> bool {
        self.page_info.as_ref().is_none_or(|page| !page.has_previous_page)
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageInfo {
    pub(super) has_next_page: bool,
    /// Asked for only of lists that are read from their end.
    #[serde(default)]
    pub(super) has_previous_page: bool,
    pub(super) end_cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Total {
    pub(super) total_count: u32,
}

#[derive(Debug, Deserialize)]
pub(super) struct Named {
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Hashed {
    pub(super) oid: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Identified {
    pub(super) id: NodeId,
}

/// An account. `__typename` is asked for only where it matters whether it is a bot.
#[derive(Debug, Deserialize)]
pub(super) struct Actor {
    pub(super) login: String,
    #[serde(rename = "__typename")]
    pub(super) kind: Option<String>,
}

impl Actor {
    /// The name, and whether it is an app.
    pub(super) fn of(actor: Option<Self>) -> (Option<String>, bool) {
        match actor {
            Some(actor) => (
                Some(crate::text::line(&actor.login)),
                actor.kind.as_deref() == Some("Bot"),
            ),
            None => (None, false),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RepositoryPart {
    pub(super) id: NodeId,
    pub(super) name_with_owner: String,
}

impl RepositoryPart {
    pub(super) fn read(self) -> Option<RepositoryRef> {
        Some(RepositoryRef {
            id: self.id,
            name: RepositoryName::parse(&self.name_with_owner)?,
        })
    }
}

/// What a review says. A dismissed one says nothing any more.
pub(super) fn review_state(word: &str) -> Option<ReviewDecision> {
    match word {
        "APPROVED" => Some(ReviewDecision::Approved),
        "CHANGES_REQUESTED" => Some(ReviewDecision::ChangesRequested),
        "REVIEW_REQUIRED" => Some(ReviewDecision::ReviewRequired),
        _ => None,
    }
}
