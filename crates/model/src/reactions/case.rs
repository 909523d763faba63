//! Cases: whether an event stands, and what it is about. Not what is done about it.

use super::event::Event;
use crate::id::SessionId;
use crate::oid::Oid;
use crate::subject::Subject;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use ts_rs::TS;

/// The longest name of an item, in bytes. Forges give shorter ones.
const LONGEST_NAME: usize = 512;

/// What stands of one subject now. It has a case for each event of this subject that can stand, and of those that have
/// details one for each detail: one that is missing is clear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Situation {
    /// The pull request, the session or the project.
    pub subject: Subject,
    /// The session that it belongs to; `None` if nobody works on it.
    pub session: Option<SessionId>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// A case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Case {
    /// The event.
    pub event: Event,
    /// What tells cases of the same event apart: a label, a budget. Empty where there is only one.
    pub detail: String,
    /// Whether it stands.
    pub standing: Standing,
    /// The time since which it stands, if the source knows; otherwise the time at which it was noticed counts.
    pub since: Option<Timestamp>,
    /// What it is about. Only a case that stands has items.
    pub items: Vec<Item>,
    /// The commit that it is about; what is merged is this commit or nothing.
    pub head: Option<Oid>,
    /// How long each item has to be there before anything is done: something that nobody sees yet may speak against it.
    #[serde(default)]
    pub settles: SignedDuration,
}

/// Whether a case stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Standing {
    /// It stands.
    Open,
    /// Nothing shows whether it stands: checks run. What was before counts.
    Unclear,
    /// It does not stand.
    Clear,
}

/// One thing that a case is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// The name, by which it is handled once: `run:CR_1`, `comment:RC_1`, `head:4f0c…`.
    pub name: String,
    /// What the agent is to improve: the head. Items of one group can be one attempt.
    pub group: String,
    /// What it repeats: a check's name. An item whose slot is taken belongs to the next attempt.
    pub slot: String,
    /// Whether it is handled again in a later problem: it describes a state, like a conflict, and not a thing that
    /// happened, like a comment.
    pub recurs: bool,
    /// Whether nothing else is to come with it, so that it is sent immediately.
    pub is_complete: bool,
    /// Whether nothing will show that it was dealt with: it stands only until it was handled.
    #[serde(default)]
    pub is_passing: bool,
}

impl Case {
    /// Returns whether it stands only because of items that stand until they were handled.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        !self.items.is_empty() && self.items.iter().all(|item| item.is_passing)
    }

    /// Returns a case without items.
    #[must_use]
    pub fn of(event: Event, standing: Standing) -> Self {
        Self {
            event,
            detail: String::new(),
            standing,
            since: None,
            items: Vec::new(),
            head: None,
            settles: SignedDuration::ZERO,
        }
    }

    /// Returns a case that stands since `since`, and is about one thing of this name.
    #[must_use]
    pub fn standing(event: Event, since: Option<Timestamp>, item: Item) -> Self {
        Self {
            since,
            items: vec![item],
            ..Self::of(event, Standing::Open)
        }
    }

    /// Returns the items of these names in the order of the case, each once: pages of a forge may overlap.
    pub(super) fn items_named<'a>(&'a self, names: impl IntoIterator<Item = &'a String>) -> Vec<&'a Item> {
        let mut left: BTreeSet<&str> = names.into_iter().map(String::as_str).collect();
        let items = self.items.iter();
        items.filter(|item| left.remove(&*item.name)).collect()
    }

    /// Returns the case with a detail.
    #[must_use]
    pub fn with_detail(mut self, detail: &str) -> Self {
        self.detail = shortened(detail);
        self
    }
}

impl Item {
    /// Returns a thing that happened, and is handled once.
    #[must_use]
    pub fn thing(name: &str) -> Self {
        Self {
            name: shortened(name),
            group: String::new(),
            slot: shortened(name),
            recurs: false,
            is_complete: true,
            is_passing: false,
        }
    }

    /// Returns a state, which is handled once in each problem.
    #[must_use]
    pub fn state(name: &str) -> Self {
        Self {
            recurs: true,
            ..Self::thing(name)
        }
    }

    /// Returns the item as the next repetition of `slot`, about `group`.
    #[must_use]
    pub fn repeating(mut self, group: &str, slot: &str) -> Self {
        self.group = shortened(group);
        self.slot = shortened(slot);
        self
    }
}

/// Returns a name within its bound.
fn shortened(name: &str) -> String {
    let mut end = name.len().min(LONGEST_NAME);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name[..end].to_owned()
}
