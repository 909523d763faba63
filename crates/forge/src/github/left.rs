//! Why GitHub does not merge a pull request by itself any more: it left the merge queue, or auto-merge was turned off. Older servers of
//! Enterprise do not have these events and refuse the query, so it is a query of its own.

use crate::error::ForgeError;
use crate::text::line;
use crate::types::identity::NodeId;
use serde::Deserialize;
use serde_json::json;

use super::api::Api;
use super::parts::Connection;
use super::queries::LEFT_QUEUE;

const WHAT: &str = "read why a pull request left the merge queue";

#[derive(Deserialize)]
struct Answer {
    node: Option<Node>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    timeline_items: Option<Connection<Event>>,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "__typename")]
    kind: String,
    reason: Option<String>,
}

impl Api {
    /// Why a pull request left the merge queue, or is not merged by itself any more; nothing if that is not the last that happened
    /// about it.
    pub(super) async fn left_queue(&self, pull: &NodeId) -> Result<Option<String>, ForgeError> {
        let answer: Answer = self.query(WHAT, LEFT_QUEUE, json!({ "pull": pull })).await?;
        let events = answer.node.and_then(|node| node.timeline_items);
        Ok(events
            .into_iter()
            .flat_map(Connection::items)
            .last()
            .and_then(left))
    }
}

/// The reason of an event after which a pull request is not merged by itself.
fn left(event: Event) -> Option<String> {
    let is_off = match event.kind.as_str() {
        "RemovedFromMergeQueueEvent" => false,
        "AutoMergeDisabledEvent" => true,
        _ => return None,
    };
    let reason = line(event.reason.unwrap_or_default().trim());
    // GitHub gives some reasons as words of a program: `FAILED_CHECKS`.
    let is_word = |c: char| c.is_ascii_alphabetic() || c == '_';
    let reason = match reason.chars().all(is_word) {
        true => reason.to_lowercase().replace('_', " "),
        false => reason,
    };
    Some(match (reason.as_str(), is_off) {
        ("" | "manual", false) => "somebody took it out".to_owned(),
        ("" | "manual", true) => "somebody turned auto-merge off".to_owned(),
        _ => reason,
    })
}

#[cfg(test)]
mod tests {
    use super::{Event, left};

    #[test]
    fn the_reason_is_that_of_an_event_after_which_it_is_not_merged() {
        for (kind, reason, expected) in [
            (
                "RemovedFromMergeQueueEvent",
                Some("FAILED_CHECKS"),
                Some("failed checks"),
            ),
            (
                "RemovedFromMergeQueueEvent",
                Some("The branch has conflicts.\nMore"),
                Some("The branch has conflicts. More"),
            ),
            (
                "RemovedFromMergeQueueEvent",
                Some("manual"),
                Some("somebody took it out"),
            ),
            ("RemovedFromMergeQueueEvent", None, Some("somebody took it out")),
            (
                "AutoMergeDisabledEvent",
                Some(" "),
                Some("somebody turned auto-merge off"),
            ),
            ("AddedToMergeQueueEvent", Some("x"), None),
            ("AutoSquashEnabledEvent", None, None),
        ] {
            let event = Event {
                kind: kind.into(),
                reason: reason.map(str::to_owned),
            };
            assert_eq!(left(event).as_deref(), expected, "{kind} {reason:?}");
        }
    }
}
