//! What decides about a situation besides its record: rules, what a person paused, outcomes of conditions, and the time.

use super::case::Case;
use super::rule::Rule;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The outcome of a rule's condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// It holds, or the rule has none.
    Holds,
    /// It does not hold.
    Fails,
    /// It cannot be evaluated, for this reason.
    Error(String),
}

/// What decides besides the situation and the record.
pub struct Context<'a> {
    /// The rules.
    pub rules: &'a [Rule],
    /// What a person paused or switched off.
    pub controls: &'a Controls,
    /// Evaluates the condition of a rule for a case. Asked only about rules that have one.
    pub condition: &'a dyn Fn(&Rule, &Case) -> Condition,
    /// The rule that a person wants to act now: without waiting, and although it is not automatic or its attempts are
    /// used up. It still sends nothing twice.
    pub run_now: Option<&'a str>,
    /// The time.
    pub now: Timestamp,
}

/// What a person paused or switched off.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Controls {
    /// Whether nothing happens by itself. What is new meanwhile happens afterwards.
    pub paused: bool,
    /// The rules that are switched off.
    pub off: BTreeSet<String>,
}
