//! What rules did about a session and its pull requests, and when they have to be asked again.

use crate::id::SessionId;
use crate::reactions::Record;
use crate::subject::Subject;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The records of a session and its pull requests, by subject.
pub type Reacted = BTreeMap<Subject, ReactedTo>;

/// What rules did about one subject.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReactedTo {
    /// The record.
    pub record: Record,
    /// The rules that dealt with it so far, by their names. Kept for sessions only: what happened long before a rule was
    /// known, the rule passes over.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub rules: BTreeSet<String>,
    /// The commands of rules that were started and have not ended, by the keys of their effects. One that is here when
    /// nothing runs it any more may have run: it is not started again.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub commands: BTreeMap<String, RunningCommand>,
    /// The time at which the rules have to be asked again, if nothing changes before.
    pub due: Option<Timestamp>,
}

/// A command of a rule that was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunningCommand {
    /// The identifier of the run; it marks the processes of the command.
    pub run: SessionId,
    /// The start.
    pub at: Timestamp,
}
